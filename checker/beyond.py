"""Beyond the core: trackers and nodes that know of globals (R7, R17 to R19), shadows (R11, R22,
R23), bars (R24 to R26), bounds with cases for moments (R32), buffers whose only sender looks first
(R33, R34), trees of potentials (R38).

Without this file the rest of the checker works as it is, and says "not covered" to certificates
that need one of these.
"""
from claims import ascending, box
from machine import cuts_of
from proofs import Prover
from system import runs
from ways import MAX, ZERO, demand, interval, pieces, stop_unless


class Beyond(Prover):
    def __init__(self, system, certificate, single):
        self.mode = self.held = None
        super().__init__(system, certificate, single)
        for index, bar in enumerate(self.claims.bars):
            weights = self.weights(f"bar {index}", bar.potential)
            positive = all(weight >= 0 for weight in weights.values())
            demand(positive, 24, f"bar {index}: a weight is negative")
            self.nothing_grows(25, f"bar {index}", weights)
            same = self.most_at_start(weights) == bar.total
            demand(same, 26, f"bar {index} is another number at the start")

    def covers(self):
        claims = self.claims
        self.first = [set() for _ in claims.auxiliaries]    # where the sender may begin
        self.after = {}    # (auxiliary, object): for each node, where the next message leads
        self.bars = [(bar.total, {(w.group, w.node): w.weight for w in bar.potential.nodes},
                      {(w.object, getattr(w, "class")): w.weight for w in bar.potential.messages})
                     for bar in claims.bars]

    def well_formed(self):
        super().well_formed()
        claims, auxiliaries, self.trackers_of = self.claims, self.claims.auxiliaries, {}
        for index, tracker in enumerate(claims.trackers):
            demand(tracker.slots and ascending(tracker.slots), 3, f"the slots of tracker {index}")
            demand(tracker.slots[-1] < len(claims.globals), 3, f"tracker {index} follows nothing")
            tracker.keys, tracker.boxes = [("global", slot) for slot in tracker.slots], []
            hidden = any(map(self.is_hidden, tracker.keys))
            demand(not hidden, 3, f"tracker {index} follows what nothing reads")
            for key in tracker.keys:
                self.trackers_of.setdefault(key, []).append(index)
            for sets in tracker.nodes:
                fits = len(sets) == len(tracker.slots) and all(
                    some and some <= self.claimed(key) for key, some in zip(tracker.keys, sets))
                demand(fits, 3, f"a node of tracker {index} does not fit")
                tracker.boxes.append(dict(zip(tracker.keys, sets)))
        for auxiliary in auxiliaries:
            demand(auxiliary.group < len(claims.groups), 3, "an auxiliary graph is of no group")
            self.nodes_fit(claims.groups[auxiliary.group], auxiliary.nodes, 0)
            silent = not any(node.globals for node in auxiliary.nodes)
            demand(silent, 3, "an auxiliary graph lists globals")
        self.listing = []
        for group in claims.groups:
            for shadow in group.shadows:
                exists = shadow.object < len(claims.objects) and shadow.sender < len(auxiliaries)
                demand(exists, 3, "a shadow of nothing")
            for node in group.nodes:
                exists = all(at < len(auxiliaries[shadow.sender].nodes)
                             for at, shadow in zip(node.shadows, group.shadows))
                demand(exists, 3, "a shadow at a node that does not exist")
                node.listed = {key for key in node.sets if key[0] == "global"}
                demand(not any(map(self.is_hidden, node.listed)), 3, "a node lists a hidden slot")
            self.listing.append({key for node in group.nodes for key in node.listed})

    # Trackers, and processes that know of globals. In the mode "start" trackers are not there yet.

    def reset(self, cuts):
        super().reset(cuts)
        self.trackers = {}

    def get(self, key):
        """What is known of a slot. Where trackers follow it, it is also known where they are."""
        for index in self.trackers_of.get(key, ()) if self.mode is None else ():
            if index not in self.trackers:
                tracker = self.claims.trackers[index]
                have = [self.known.get(key, self.claimed(key)) for key in tracker.keys]
                self.trackers[index] = self.choose([
                    number for number, sets in enumerate(tracker.nodes)
                    if all(a & b for a, b in zip(have, sets))])
                sets = tracker.nodes[self.trackers[index]]
                for one, values, allowed in zip(tracker.keys, have, sets):
                    self.known[one] = values & allowed
        return super().get(key)

    def begin(self):
        """R7, and the start of the core."""
        mode, self.mode = self.mode, self.mode or "start"
        try:
            return super().begin() + tuple(
                (("tracker", index), self.fit(enumerate(tracker.boxes), 7, "a tracker's start"))
                for index, tracker in enumerate(self.claims.trackers))
        finally:
            self.mode = mode

    def come(self, frame, index, number):
        super().come(frame, index, number)
        self.standing = number if frame == 0 else self.standing
        for key in sorted(self.listing[index]):    # nodes and trackers of a slot agree
            self.get(key)

    def others_move(self):
        written = {key for key in self.old if key[0] == "global"}
        movers = {self.who[frame] for frame in (0, 1) if frame in self.who}
        unseen = not self.started or not written & self.listing[self.started[0][1]]
        demand(unseen, 19, "it writes a global that the process it starts has tracked")
        for index, node in sorted(self.trackers.items()):
            tracker, to = self.claims.trackers[index], node
            if written.intersection(tracker.keys):
                to = self.fit(enumerate(tracker.boxes), 17, f"tracker {index} has no node then")
            elif not any(self.listing[group].intersection(tracker.keys) for group in movers):
                continue
            self.moves.append((("tracker", index), node, to))
        return self.carry_others(written, movers)

    def carry_others(self, written, movers):
        """R18: processes that list what is written; any number of them: each is its own way."""
        many = [None]
        for other in (other for other, listing in enumerate(self.listing) if listing & written):
            nodes = [(number, node.listed & written) for number, node
                     in enumerate(self.groups[other].nodes) if node.point[0] == "at"]
            moved = [(other, number) for number, lists in nodes if lists]
            if self.tokens[other] == "any":
                many += moved
            elif other not in movers:
                stays = self.tokens[other] == "at most one" or len(moved) < len(nodes)
                chosen = self.choose(moved + [None] * stays)
                self.moves += [self.carry(*chosen)] if chosen else []
        chosen = self.choose(many)
        return chosen and self.carry(*chosen)

    def carry(self, other, number):
        node, frame = self.groups[other].nodes[number], 3 + other
        self.enter(frame, other, node)
        what = f"node {number} of group {other} carried along"
        return ("group", other), number, self.settle(frame, node.point, node.shadows, 18, what)

    # Bars.

    def is_barred(self, group, node, taken=None):
        return any(nodes.get((group, node), 0) + messages.get(taken, 0) > total
                   for total, nodes, messages in self.bars)

    def take(self, number, class_):
        barred = self.mode is None and self.is_barred(self.who[0], self.standing, (number, class_))
        stop_unless(not barred)
        super().take(number, class_)

    # Shadows. In the mode "begin" new processes are placed in auxiliary graphs; in the mode "alone"
    # a statement is executed for what it does to its own process: that claims hold others show.

    def prepare(self):
        """R11, R22: where each sender begins, and where it may be after its next message."""
        self.standing, self.mode = None, "begin"
        self.all_of(self.begin)
        for index, number, choice in self.statements():
            if runs(choice.action):
                self.all_of(lambda: self.begin_others(index, number, choice))
        for shadow in (shadow for group in self.groups for shadow in group.shadows):
            demand(self.first[shadow.sender], 11, "a shadow follows a group that has no process")
            self.after[shadow.sender, shadow.object] = self.follow(shadow)
        self.mode = None

    def begin_others(self, index, number, choice):
        self.reset(self.cuts)
        self.come(0, index, number)
        self.execute(choice, 0)

    def settle(self, frame, point, shadows, rule, what):
        if self.mode in (None, "start"):
            return super().settle(frame, point, shadows, rule, what)
        for index, auxiliary in enumerate(self.claims.auxiliaries):
            if auxiliary.group == self.who[frame] and self.mode == "begin":
                self.first[index].add(self.settle_in(auxiliary, frame, point))
        return None

    def settle_in(self, auxiliary, frame, point):
        there = [(number, box(node, frame)) for number, node in enumerate(auxiliary.nodes)
                 if node.point == point]
        return self.fit(there, 22, "the sender of a shadow is in no node of its graph")

    def follow(self, shadow):
        auxiliary, self.mode = self.claims.auxiliaries[shadow.sender], "alone"
        silent, sends = [[set() for _ in auxiliary.nodes] for _ in range(2)]
        for source, node in enumerate(auxiliary.nodes):
            choices = self.automaton(auxiliary.group).points[node.point]
            for choice in choices:
                for to, put in self.all_of(lambda: self.move_alone(auxiliary, node, choice)):
                    is_send = put and put[0] == shadow.object and put[2] > 0
                    (sends if is_send else silent)[source].add((put[1], to) if is_send else to)
        found = [{} for _ in auxiliary.nodes]
        for source, after in enumerate(found):
            for class_, to in set().union(*(sends[node] for node in reachable(silent, source))):
                after.setdefault(class_, set()).add(to)
        return found

    def move_alone(self, auxiliary, node, choice):
        self.execute_alone(auxiliary.group, node, choice)
        for slot in choice.dead:
            self.write((0, slot), ZERO)
        for key in self.old:
            if key[0] == 0:
                self.narrow(key, self.claimed(key))
        return self.settle_in(auxiliary, 0, choice.target), self.message

    def execute_alone(self, group, node, choice):
        stop_unless(choice.target)
        self.reset(cuts_of(self.automaton(group).points[node.point]))
        self.enter(0, group, node)
        self.execute(choice, 0)

    def meet(self, number, class_):
        if self.mode is None:
            super().meet(number, class_)

    def follows(self, shadow, class_):
        return any(class_ in after for after in self.after[shadow.sender, shadow.object])

    def shadows_at_start(self, group):
        shadows = self.groups[group].shadows if self.mode in (None, "start") else ()
        return tuple(self.choose(sorted(self.first[shadow.sender])) for shadow in shadows)

    def shadows_after(self, frame, number):
        group, found = self.groups[self.who[frame]], []
        for shadow, position in zip(group.shadows, group.nodes[number].shadows):
            taken, class_, sign = self.message or (None, None, 0)
            if sign < 0 and taken == shadow.object and self.follows(shadow, class_):
                after = self.after[shadow.sender, shadow.object][position].get(class_, ())
                position = self.choose(sorted(after))
            found.append(position)
        return tuple(found)

    def sizes(self):
        """R23."""
        super().sizes()
        one = [group.at_most == 1 for group in self.groups]
        for receiver, group in enumerate(self.groups):
            for shadow in group.shadows:
                kind, where = self.objects[shadow.object].place
                sender = self.claims.auxiliaries[shadow.sender].group
                single = (kind == "global" or one[where.group]) and one[sender] and one[receiver]
                demand(single, 23, "channel, sender and receiver of a shadow must each be one")
                demand(self.capacity(shadow.object), 23, "a shadow follows a rendezvous")
                for t in self.transitions:
                    number, class_, sign = t.message or (None, None, 0)
                    if number == shadow.object:
                        in_order = self.choice(t.actor).action[2] == "fifo"
                        demand(in_order, 23, "not the first that was sent is received first")
                        right = t.actor[0] == (sender if sign > 0 else receiver)
                        demand(right or not self.follows(shadow, class_), 23, "somebody else does")

    def choice(self, actor):
        group, node, edge, inside = actor
        choices = self.automaton(group).points[self.groups[group].nodes[node].point]
        return next(one for one in choices if (one.edge, one.inside) == (edge, inside))

    # Bounds.

    def cases(self, label, number, cases):
        """R32: cases for the moments just after each send into the buffer."""
        if not any(case.after for case in cases):
            return super().cases(label, number, cases)
        all_after = all(case.after for case in cases)
        demand(all_after, 32, f"{label}: a case for all moments, and others")
        shown, moments = [0], []
        for case in cases:
            weights, free = self.weights(label, case.potential), None
            self.weighs(label, number, weights, case.denominator)
            exists = case.after.group < len(self.groups) and ascending(case.after.nodes)
            demand(exists, 3, f"{label}: a case of nothing")
            component = ("group", case.after.group)
            if self.groups[case.after.group].at_most == 1:
                free = component
            most = self.most(label, weights, free, number)
            arrivals = [(component, node) for node in case.after.nodes]
            shown += [(most - weights.get(arrival, 0)) // case.denominator for arrival in arrivals]
            moments += arrivals
        sends = {(t.moves[0][0], t.moves[0][2]) for t in self.transitions
                 if t.message and t.message[0] == number and t.message[2] > 0}
        right = len(set(moments)) == len(moments) and set(moments) == sends
        demand(right, 32, f"{label}: the cases are not the moments after a send")
        return max(shown)

    def prove_guarded(self, label, proof):
        self.buffer(label, proof.object)
        demand(proof.sender < len(self.groups), 3, f"{label}: the sender does not exist")
        group = self.groups[proof.sender]
        one = self.objects[proof.object].place[0] == "global" and group.at_most == 1
        demand(one, 33, f"{label}: not one sender")
        fits = ascending([known.node for known in proof.known]) and all(
            one.node < len(group.nodes) and one.at_most < proof.at_most for one in proof.known)
        demand(fits, 3, f"{label}: known lengths")
        known = {entry.node: entry.at_most for entry in proof.known}
        for t in self.transitions:
            number, _, more = t.message or (None, None, 0)
            alone = number != proof.object or more < 0 or t.actor[0] == proof.sender
            demand(alone, 33, f"{label}: somebody else sends")
            for component, source, to in t.moves:
                if component == ("group", proof.sender):
                    held = known.get(source, proof.at_most)
                    if t.actor[0] == proof.sender:
                        held = self.most_held(proof.object, t.actor, held)
                        held = max(held + more, 0) if number == proof.object else held
                    fits = held <= known.get(to, proof.at_most)
                    demand(fits, 34, f"{label}: after {t.actor} it may hold {held}")

    def most_held(self, number, actor, held):
        """The largest length up to `held` with which the statement can be executed; -1: none."""
        index, place, _, inside = actor
        if inside is not None:
            return held
        node, self.mode = self.groups[index].nodes[place], "alone"
        cuts = cuts_of(self.automaton(index).points[node.point])
        for low, high in reversed(pieces(interval(0, held), cuts, 1000)):
            self.held = (number, low, high)
            ways = self.all_of(lambda: self.execute_alone(index, node, self.choice(actor)))
            if ways:
                break
        self.mode = self.held = None
        return high if ways else -1

    def value(self, e, frame):
        word = e[0] if isinstance(e, list) else None
        if self.held is None or word not in ("len", "empty", "nempty") or self.held[1] > MAX:
            return super().value(e, frame)
        number, low, high = self.held
        if self.channel(e[1], frame) != number:
            low, high = 0, MAX
        if word == "len":
            return low, min(high, MAX)
        is_empty = self.choose([True] * (low == 0) + [False] * (high > 0))
        return (int(is_empty == (word == "empty")),) * 2

    # Trees of potentials.

    def split(self, label, split, left, settled, goal):
        """R38: what may happen while a component stays in one strongly connected part."""
        kind, index = component = split.component
        some = self.groups if kind == "group" else self.claims.trackers
        demand(index < len(some), 3, f"{label}: what is split does not exist")
        one = kind == "tracker" or some[index].at_most == 1
        demand(one, 38, f"{label}: a split of more than one process")
        limited = all(group.at_most is not None for group in self.groups)
        demand(goal == "ends" or limited, 38, f"{label}: a split with any number of processes")
        moves = [[(source, to) for of, source, to in t.moves if of == component] for t in left]
        ahead, behind = [[set() for _ in some[index].nodes] for _ in range(2)]
        for source, to in (move for own in moves for move in own):
            ahead[source].add(to)
            behind[to].add(source)
        part = {}
        for node in range(len(some[index].nodes)):
            if node not in part:
                for other in reachable(ahead, node) & reachable(behind, node):
                    part[other] = node              # named by its least node
        used = sorted({part[source] for source in part for to in ahead[source]
                       if part[source] == part[to]}) or [None]
        demand(len(used) == len(split.parts), 38, f"{label}: there are {len(used)} parts")
        for name, inner in zip(used, split.parts):
            inside = [t for t, own in zip(left, moves)
                      if not any(token and token[0] == component for token in (t.start, t.end))
                      and all(part[end] == name for move in own for end in move)]
            self.stage(label, inner, inside, settled, goal)


def reachable(edges, source):
    seen, stack = {source}, [source]
    while stack:
        fresh = set(edges[stack.pop()]) - seen
        seen |= fresh
        stack += fresh
    return seen
