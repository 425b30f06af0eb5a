"""The proofs: does each follow from the transitions?

A potential is read as a dictionary from (component, node) or (("object", n), class) to weights.
"""
from claims import Checker, ascending
from ways import NotCovered, demand


class Prover(Checker):
    def __init__(self, system, certificate, single):
        super().__init__(system, certificate, single)
        self.declared = certificate.capacities == "declared"
        bounded = {one.object for kind, proof in certificate.proofs
                   for one in getattr(proof, "buffers", [proof]) if hasattr(one, "object")}
        self.settled = {key for number in range(len(self.objects)) if number in bounded
                        for key in self.classes(number)}
        for index, (kind, proof) in enumerate(certificate.proofs):
            if not hasattr(self, "prove_" + kind):
                raise NotCovered(f"proofs of the kind {kind}")
            getattr(self, "prove_" + kind)(f"proof {index}", proof)

    # Potentials.

    def classes(self, number):
        classes = range(len(self.objects[number].classes))
        return [(("object", number), class_) for class_ in classes]

    def weights(self, label, potential):
        """R3, R27."""
        demand(not potential.numbers, 3, f"{label}: a weight of a number that is not there")
        found, trackers = {}, self.claims.trackers
        for kind, which, some, rows in (("object", "class", self.objects, potential.messages),
                                        ("group", "node", self.groups, potential.nodes),
                                        ("tracker", "node", trackers, potential.trackers)):
            rows = [(getattr(row, kind), getattr(row, which), row.weight) for row in rows]
            demand(ascending([row[:2] for row in rows]), 3, f"{label}: weights are not in order")
            for first, second, weight in rows:
                exists = weight != 0 and first < len(some) \
                    and second < len(some[first].classes if kind == "object" else some[first].nodes)
                demand(exists, 3, f"{label}: a weight of nothing")
                demand(kind != "object" or self.capacity(first), 27, f"{label}: of a rendezvous")
                found[(kind, first), second] = weight
        return found

    def change(self, weights, transition):
        """By how much a transition changes the potential at the most; None if there is no most."""
        def more(component, source, to):
            return weights.get((component, to), 0) - weights.get((component, source), 0)
        if transition.many and more(*transition.many) > 0:
            return None
        number, class_, sign = transition.message or (None, None, 0)
        return (sum(more(*move) for move in transition.moves)
                + sign * weights.get((("object", number), class_), 0)
                + weights.get(transition.start, 0) - weights.get(transition.end, 0))

    def most_at_start(self, weights):
        return max(sum(weights.get(place, 0) for place in places) for places in self.beginnings)

    def nothing_grows(self, rule, label, weights, counts=lambda transition: 0):
        for transition in self.transitions:
            change = self.change(weights, transition)
            fine = change is not None and change + counts(transition) <= 0
            demand(fine, rule, f"{label}: {transition} makes it grow")

    def most(self, label, weights, free=None, asked=None, counts=lambda transition: 0):
        """R28, R29: what the potential is at the start and never exceeds; what negative weights of
        other channels' messages may take off is added, as many as there is room for."""
        slack = {}
        for (component, _), weight in weights.items():
            kind, number = component
            if weight < 0 and component != free:
                limited = kind == "object" and self.declared and number != asked \
                    and self.keeps_messages(number) and self.channels_of(number) is not None
                demand(limited, 28, f"{label}: {component} has a negative weight")
                room = self.capacity(number) * self.channels_of(number)
                slack[number] = max(slack.get(number, 0), room * -weight)
        self.nothing_grows(29, label, weights, counts)
        return self.most_at_start(weights) + sum(slack.values())

    def buffer(self, label, number):
        """R8, R27: what is bounded is a buffer, and told apart from others."""
        demand(number < len(self.objects), 3, f"{label}: the object does not exist")
        demand(self.capacity(number), 27, f"{label}: the object is no buffer")
        kind, where = self.objects[number].place
        if kind == "local":
            self.can_have_members(where.group, label)

    def weighs(self, label, number, weights, denominator):
        """R30."""
        enough = all(weights.get(key, 0) >= denominator for key in self.classes(number))
        demand(denominator >= 1 and enough, 30, f"{label}: a message weighs too little")

    # Bounds.

    def prove_bound(self, label, proof):
        """R29 to R32, at all moments; without a potential it is the declared capacity."""
        number = proof.object
        self.buffer(label, number)
        if proof.cases:
            shown = self.cases(label, number, proof.cases)
        else:
            one = self.declared and self.channels_of(number) == 1
            demand(one, 32, f"{label}: there is no case")
            shown = self.capacity(number)
        demand(shown == proof.at_most, 31, f"{label}: what is shown is {shown}")

    def cases(self, label, number, cases):
        if any(case.after for case in cases):
            raise NotCovered("cases for moments after a send")
        demand(len(cases) == 1, 32, f"{label}: several cases for all moments")
        weights = self.weights(label, cases[0].potential)
        self.weighs(label, number, weights, cases[0].denominator)
        return max(self.most(label, weights, asked=number) // cases[0].denominator, 0)

    def prove_bounds(self, label, proof):
        demand(proof.buffers, 2, f"{label} speaks of no buffer")
        in_order = ascending([one.object for one in proof.buffers])
        demand(in_order, 3, f"{label}: buffers are not in order")
        weights = self.weights(label, proof.potential)
        most = self.most(label, weights)
        for one in proof.buffers:
            self.buffer(label, one.object)
            least = min((weights.get(key, 0) for key in self.classes(one.object)), default=None)
            self.weighs(label, one.object, weights, 1 if least is None else least)
            shown = 0 if least is None else most // least
            demand(shown == one.at_most, 31, f"{label}: what is shown is {shown}")

    def prove_starts(self, label, proof):
        demand(proof.group < len(self.groups), 3, f"{label}: the group does not exist")
        same = self.groups[proof.group].at_most == proof.at_most
        demand(same, 21, f"{label}: proof and claim differ")
        self.can_have_members(proof.group, label)
        demand(proof.denominator >= 1, 30, f"{label}: a start weighs nothing")
        weights = self.weights(label, proof.potential)

        def counts(transition):
            is_start = transition.start and transition.start[0] == ("group", proof.group)
            return proof.denominator if is_start else 0
        own = proof.denominator * self.at_start[proof.group]
        shown = (self.most(label, weights, counts=counts) + own) // proof.denominator
        demand(shown == proof.at_most, 31, f"{label}: what is shown is {shown}")

    # Trees of potentials.

    def prove_all_bounded(self, label, proof):
        self.stage(label, proof.stage, self.transitions, self.settled, "bounded")

    def prove_livelock_free(self, label, proof):
        kind, listed = proof.progress
        statements = [(s.automaton, s.edge, s.inside or ()) for s in listed or ()]
        demand(ascending(statements), 3, f"{label}: statements are not in order")
        progress, exist = set(), set()
        for number, automaton in enumerate(self.system.processes):
            for choice in (choice for choices in automaton.points.values() for choice in choices):
                edge, one = (number, choice.edge, ()), (number, choice.edge, choice.inside or ())
                exist |= {edge, one}
                marked = edge in statements or one in statements
                progress |= {one} if (choice.progress if kind == "labels" else marked) else set()
        demand(set(statements) <= exist, 3, f"{label}: a statement of progress does not exist")
        allowed = [t for t in self.transitions if not any(
            (self.groups[actor[0]].automaton, actor[2], actor[3] or ()) in progress
            for actor in (t.actor, t.partner) if actor)]
        self.stage(label, proof.stage, allowed, self.settled, "ends")

    def stage(self, label, stage, allowed, settled, goal):
        """R35 to R37."""
        weights = self.weights(label, stage.potential)
        for (component, which), weight in weights.items():
            kind, number = component
            free = kind == "tracker"
            if kind == "group":
                free = self.groups[number].at_most is not None
            elif kind == "object" and self.keeps_messages(number):
                limited = self.declared and self.channels_of(number) is not None
                free = limited or (component, which) in settled
            demand(weight >= 0 or free, 35, f"{label}: {component} may not have a negative weight")
        changes = [(transition, self.change(weights, transition)) for transition in allowed]
        shrinks = all(change is not None and change <= 0 for _, change in changes)
        demand(shrinks, 36, f"{label}: a transition makes the potential grow")
        left = [transition for transition, change in changes if change == 0]
        settled = settled | {key for key, weight in weights.items() if weight > 0}
        kind, following = stage.next
        demand(kind != "idle", 41, f"{label}: nobody is obliged to be fair")
        demand(kind != "starved", 44, f"{label}: nobody is obliged to be fair")
        if kind == "split":
            self.split(label, following, left, settled, goal)
        elif goal == "ends":
            demand(not left, 37, f"{label}: {left[:1]} may go on for ever")
        else:
            every = {key for number in range(len(self.objects)) if self.capacity(number)
                     for key in self.classes(number)}
            demand(self.declared or every <= settled, 37, f"{label}: some messages may pile up")

    def split(self, _label, _split, _left, _settled, _goal):
        raise NotCovered("trees of potentials")
