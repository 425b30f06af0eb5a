"""The proofs: does each follow from the transitions?"""
from claims import ascending, reachable
from sets import NotCovered, demand
from system import is_progress


class Weights:
    def __init__(self, checker, potential, label):
        claims = checker.claims
        rows = [[(w.object, getattr(w, "class"), w.weight) for w in potential.messages],
                [(w.group, w.node, w.weight) for w in potential.nodes],
                [(w.tracker, w.node, w.weight) for w in potential.trackers]]
        sizes = [[len(thing.classes) for thing in claims.objects], [len(group.nodes) for group in claims.groups],
                 [len(tracker.nodes) for tracker in claims.trackers]]
        for table, size in zip(rows, sizes):
            demand(ascending([row[:2] for row in table]), 3, f"{label}: weights are not in order")
            for where, which, weight in table:
                demand(weight != 0 and where < len(size) and which < size[where], 3, f"{label}: a weight of nothing")
        self.messages, self.nodes, self.trackers = [{row[:2]: row[2] for row in table} for table in rows]
        demand(all(checker.capacity(number) for number, _ in self.messages), 27, f"{label}: a rendezvous message weighs something")

    def of(self, component, node):
        kind, index = component
        return (self.nodes if kind == "group" else self.trackers).get((index, node), 0)

    def change(self, transition):
        """By how much a transition changes the potential at the most; None if there is no most."""
        if any(self.of(component, to) > self.of(component, source) for component, source, to in transition.many):
            return None
        change = sum(self.of(component, to) - self.of(component, source) for component, source, to in transition.moves)
        if transition.message:
            number, class_, more = transition.message
            change += more * self.messages.get((number, class_), 0)
        if transition.start:
            change += self.nodes.get(transition.start, 0)
        if transition.end:
            change -= self.nodes.get(transition.end, 0)
        return change

    def at_start(self, checker):
        processes = sum(max(self.nodes.get((group, node), 0) for node in nodes) for group, nodes in checker.initial)
        return processes + sum(self.trackers.get(pair, 0) for pair in enumerate(checker.trackers_at_start))


class Prover:
    def __init__(self, checker):
        self.checker, self.claims = checker, checker.claims
        self.transitions = checker.transitions
        self.declared = checker.certificate.capacities == "declared"
        bounded = set()
        for kind, proof in checker.certificate.proofs:
            if kind in ("bound", "guarded"):
                bounded.add(proof.object)
            elif kind == "bounds":
                bounded.update(buffer.object for buffer in proof.buffers)
        self.settled = {(number, class_) for number, thing in enumerate(self.claims.objects) if number in bounded
                        for class_ in range(len(thing.classes))}
        for index, (kind, proof) in enumerate(checker.certificate.proofs):
            if not hasattr(self, kind):
                raise NotCovered(f"proofs of the kind {kind}")
            getattr(self, kind)(f"proof {index}", proof)

    def nothing_grows(self, rule, label, weights, extra=lambda transition: 0):
        for transition in self.transitions:
            change = weights.change(transition)
            demand(change is not None and change + extra(transition) <= 0, rule, f"{label}: {transition} makes it grow")

    def not_negative(self, label, weights, free=None, asked=None):
        """R28. What negative weights of other channels' messages add to the start: there are at most as many as fit."""
        demand(all(weight >= 0 or group == free for (group, _), weight in weights.nodes.items())
               and all(weight >= 0 for weight in weights.trackers.values()), 28, f"{label}: a node has a negative weight")
        slack = 0
        for number in {number for (number, _), weight in weights.messages.items() if weight < 0}:
            limited = self.declared and number != asked and self.checker.keeps_messages(number) \
                and self.checker.channels_of(number) is not None
            demand(limited, 28, f"{label}: a message has a negative weight")
            least = min(weight for (of, _), weight in weights.messages.items() if of == number)
            slack += self.checker.capacity(number) * self.checker.channels_of(number) * -least
        return slack

    def is_buffer(self, label, number):
        demand(number < len(self.claims.objects), 3, f"{label}: the object does not exist")
        demand(self.checker.capacity(number), 27, f"{label}: the object is no buffer")

    def told_apart(self, label, number):
        kind, where = self.claims.objects[number].place
        if kind == "local":
            self.checker.can_have_members(where.group, label)

    def weighs_enough(self, label, number, denominator, weights):
        enough = all(weights.messages.get((number, class_), 0) >= denominator
                     for class_ in range(len(self.claims.objects[number].classes)))
        demand(denominator >= 1 and enough, 30, f"{label}: a message of the buffer weighs too little")

    def bound(self, label, proof):
        number, cases = proof.object, proof.cases
        self.is_buffer(label, number)
        self.told_apart(label, number)
        if not cases:
            demand(self.declared and self.checker.channels_of(number) == 1, 32, f"{label}: there is no case")
            demand(proof.at_most == self.checker.capacity(number), 31, f"{label}: that is not the capacity")
            return
        demand(len(cases) == 1 or all(case.after for case in cases), 32, f"{label}: a case for all moments, and others")
        shown, moments = 0, []
        for case in cases:
            weights = Weights(self.checker, case.potential, label)
            self.weighs_enough(label, number, case.denominator, weights)
            free = None
            if case.after:
                demand(case.after.group < len(self.claims.groups) and ascending(case.after.nodes), 3, f"{label}: a case")
                free = case.after.group if self.claims.groups[case.after.group].at_most == 1 else None
            slack = self.not_negative(label, weights, free, number)
            self.nothing_grows(29, label, weights)
            start = weights.at_start(self.checker) + slack
            if case.after is None:
                shown = max(shown, start // case.denominator)
            else:
                arrivals = [(case.after.group, node) for node in case.after.nodes]
                moments += arrivals
                for arrival in arrivals:
                    shown = max(shown, (start - weights.nodes.get(arrival, 0)) // case.denominator)
        if cases[0].after is not None:
            sends = {(t.actor[0], t.moves[0][2]) for t in self.transitions if t.message and t.message[0] == number and t.message[2] > 0}
            demand(len(set(moments)) == len(moments) and set(moments) == sends, 32, f"{label}: the cases are not the moments after a send")
        demand(shown == proof.at_most, 31, f"{label}: the potential shows {shown}")

    def bounds(self, label, proof):
        demand(proof.buffers, 2, f"{label} speaks of no buffer")
        demand(ascending([buffer.object for buffer in proof.buffers]), 3, f"{label}: buffers are not in order")
        weights = Weights(self.checker, proof.potential, label)
        start = self.not_negative(label, weights) + weights.at_start(self.checker)
        self.nothing_grows(29, label, weights)
        for buffer in proof.buffers:
            self.is_buffer(label, buffer.object)
            self.told_apart(label, buffer.object)
            classes = range(len(self.claims.objects[buffer.object].classes))
            least = min((weights.messages.get((buffer.object, class_), 0) for class_ in classes), default=None)
            if least is not None:
                self.weighs_enough(label, buffer.object, least, weights)
            shown = 0 if least is None else start // least
            demand(shown == buffer.at_most, 31, f"{label}: the potential shows {shown}")

    def starts(self, label, proof):
        demand(proof.group < len(self.claims.groups), 3, f"{label}: the group does not exist")
        demand(self.claims.groups[proof.group].at_most == proof.at_most, 21, f"{label}: proof and claim differ")
        self.checker.can_have_members(proof.group, label)
        demand(proof.denominator >= 1, 30, f"{label}: a start weighs nothing")
        weights = Weights(self.checker, proof.potential, label)
        slack = self.not_negative(label, weights)
        self.nothing_grows(29, label, weights,
                           lambda t: proof.denominator if t.start and t.start[0] == proof.group else 0)
        start = weights.at_start(self.checker) + slack + proof.denominator * self.checker.count_at_start(proof.group)
        demand(start // proof.denominator == proof.at_most, 31, f"{label}: the potential shows {start // proof.denominator}")

    def all_bounded(self, label, proof):
        self.stage(label, proof.stage, self.transitions, self.settled, "bounded")

    def livelock_free(self, label, proof):
        kind, statements = proof.progress
        marked = {(s.automaton, s.edge, s.inside) for s in statements or ()}
        order = [(s.automaton, s.edge, s.inside is not None, s.inside or ()) for s in statements or ()]
        demand(ascending(order), 3, f"{label}: statements are not in order")
        for automaton, edge, inside in marked:
            demand(self.exists(automaton, edge, inside), 3, f"{label}: a statement of progress does not exist")

        def makes_progress(actor):
            group, _, edge, inside = actor
            automaton = self.claims.groups[group].automaton
            if kind == "at":
                return (automaton, edge, None) in marked or (automaton, edge, inside) in marked
            made = self.checker.system.processes[automaton].edges[edge]
            return made.progress or bool(inside) and is_progress(made.action[1 + inside[0]][1 + inside[1]][3:])
        allowed = [t for t in self.transitions if not any(makes_progress(a) for a in (t.actor, t.partner) if a)]
        self.stage(label, proof.stage, allowed, self.settled, "ends")

    def exists(self, automaton, edge, inside):
        processes = self.checker.system.processes
        if automaton >= len(processes) or edge >= len(processes[automaton].edges):
            return False
        action = processes[automaton].edges[edge].action
        return inside is None or (action[0] == "d_step" and inside[0] < len(action) - 1
                                  and inside[1] < len(action[1 + inside[0]]) - 1)

    def stage(self, label, stage, allowed, settled, goal):
        checker, weights = self.checker, Weights(self.checker, stage.potential, label)
        for (number, class_), weight in weights.messages.items():
            limited = self.declared and checker.channels_of(number) is not None
            free = ((number, class_) in settled or limited) and checker.keeps_messages(number)
            demand(weight >= 0 or free, 35, f"{label}: a message that may be left behind has a negative weight")
        demand(all(weight >= 0 or self.claims.groups[group].at_most is not None for (group, _), weight in weights.nodes.items()),
               35, f"{label}: a node of any number of processes has a negative weight")
        changes = [weights.change(transition) for transition in allowed]
        demand(all(change is not None and change <= 0 for change in changes), 36, f"{label}: a transition makes the potential grow")
        left = [transition for transition, change in zip(allowed, changes) if change == 0]
        settled = settled | {key for key, weight in weights.messages.items() if weight > 0}
        kind, following = stage.next
        if kind == "closed":
            if goal == "ends":
                demand(not left, 37, f"{label}: {left[:1]} may go on for ever")
            else:
                every = all((number, class_) in settled for number, thing in enumerate(self.claims.objects)
                            if checker.capacity(number) for class_ in range(len(thing.classes)))
                demand(self.declared or every, 37, f"{label}: some messages may pile up")
            return
        parts = self.parts(label, following.component, left, goal)
        demand(len(parts) == len(following.parts), 38, f"{label}: {len(parts)} parts, {len(following.parts)} are treated")
        for part, inner in zip(parts, following.parts):
            self.stage(label, inner, part, settled, goal)

    def parts(self, label, component, left, goal):
        """R38: what may happen while a component with one token stays in one strongly connected part."""
        kind, index = component
        some = self.claims.groups if kind == "group" else self.claims.trackers
        demand(index < len(some), 3, f"{label}: what is split does not exist")
        demand(kind == "tracker" or some[index].at_most == 1, 38, f"{label}: a split of more than one process")
        demand(goal == "ends" or all(group.at_most is not None for group in self.claims.groups), 38, f"{label}: a split with any number")
        moves = [[(source, to) for of, source, to in t.moves if of == component] for t in left]
        ahead, behind = [[set() for _ in some[index].nodes] for _ in range(2)]
        for source, to in {move for some_moves in moves for move in some_moves}:
            ahead[source].add(to)
            behind[to].add(source)
        part = {}
        for node in range(len(some[index].nodes)):
            if node not in part:
                for other in reachable(ahead, node) & reachable(behind, node):
                    part[other] = node              # named by its least node
        used = sorted({part[source] for source in part for to in ahead[source] if part[source] == part[to]})

        def inside(transition, own, name):
            comes_or_goes = any(end and ("group", end[0]) == component for end in (transition.start, transition.end))
            return not comes_or_goes and all(part[source] == part[to] == name for source, to in own)
        return [[t for t, own in zip(left, moves) if inside(t, own, name)] for name in used or [None]]
