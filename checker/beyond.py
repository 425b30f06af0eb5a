"""Beyond the core: shadows (R11, R22, R23), bars (R24 to R26) and buffers whose only sender looks first (R33, R34).

Without this file the rest of the checker works as it is, and says "not covered" to certificates that need one of these.
"""
from itertools import product

import claims
import proofs
from machine import Machine
from sets import MAX, demand, interval, pieces


class Checker(claims.Checker):
    def covers(self, claimed):
        self.starts = [set() for _ in claimed.auxiliaries]
        self.moves = {}                     # (auxiliary, object): for each node, where the next message of a class leads
        self.bars = [(bar.total, {(w.group, w.node): w.weight for w in bar.potential.nodes},
                      {(w.object, getattr(w, "class")): w.weight for w in bar.potential.messages}) for bar in claimed.bars]

    def is_barred(self, group, node, taken=None):
        return any(nodes.get((group, node), 0) + messages.get(taken, 0) > total for total, nodes, messages in self.bars)

    def well_formed(self):
        super().well_formed()
        auxiliaries = self.claims.auxiliaries
        for auxiliary in auxiliaries:
            demand(auxiliary.group < len(self.claims.groups), 3, "an auxiliary graph is of no group")
            self.nodes_fit(self.claims.groups[auxiliary.group], auxiliary.nodes, 0)
            demand(not any(node.globals for node in auxiliary.nodes), 3, "an auxiliary graph lists globals")
        for group in self.claims.groups:
            for shadow in group.shadows:
                demand(shadow.object < len(self.claims.objects) and shadow.sender < len(auxiliaries), 3, "a shadow of nothing")
            for node in group.nodes:
                demand(all(at < len(auxiliaries[shadow.sender].nodes) for at, shadow in zip(node.shadows, group.shadows)), 3,
                       "a shadow at a node that does not exist")

    def follow_shadows(self):
        """R11 and R22: where each sender begins, and where it may be after its next message."""
        for index, auxiliary in enumerate(self.claims.auxiliaries):
            initial = ("at", self.automaton(auxiliary.group).initial)
            worlds = [world for group, world in self.begun if group == auxiliary.group]
            for half in self.halves:
                if half.effect and half.effect[0] == "start":
                    worlds += [world for group, world in self.started(half) if group == auxiliary.group]
            for world in worlds:
                self.starts[index] |= set(self.cover_auxiliary(auxiliary, initial, world))
        for shadow in (shadow for group in self.claims.groups for shadow in group.shadows):
            demand(self.starts[shadow.sender], 11, "a shadow follows a group of which no process is ever started")
            self.moves[shadow.sender, shadow.object] = self.follow(self.claims.auxiliaries[shadow.sender], shadow.object)

    def cover_auxiliary(self, auxiliary, point, world):
        there = [number for number, node in enumerate(auxiliary.nodes) if node.point == point]
        return [number for number, _ in self.cover(auxiliary.nodes, there, world, 22, "the sender of a shadow")]

    def follow(self, auxiliary, number):
        group = self.claims.groups[auxiliary.group]
        silent, sends = [set() for _ in auxiliary.nodes], [set() for _ in auxiliary.nodes]
        self.machine.with_trackers = False
        for source, node in enumerate(auxiliary.nodes):
            world = self.world(group, node)
            for _, _, found, effect, target in self.machine.outcomes(self.automaton(auxiliary.group), node.point, world):
                # That the claims hold the group's own graph shows; here they are used.
                for key in [key for key in found.written if key[0] == "local"]:
                    found = found.write(key, found.now[key] & group.slots[key[1]])
                if target is None or not all(found.now.values()):
                    continue
                for to in self.cover_auxiliary(auxiliary, target, found):
                    if effect and effect[:2] == ("put", number):
                        sends[source].add((effect[2], to))
                    else:
                        silent[source].add(to)
        self.machine.with_trackers = True
        moves = [{} for _ in auxiliary.nodes]
        for source, after in enumerate(moves):
            for class_, to in set().union(*(sends[node] for node in claims.reachable(silent, source))):
                after.setdefault(class_, set()).add(to)
        return moves

    def follows(self, shadow, class_):
        return any(class_ in after for after in self.moves[shadow.sender, shadow.object])

    def beginnings(self, group):
        return list(product(*(sorted(self.starts[shadow.sender]) for shadow in self.claims.groups[group].shadows)))

    def shadows_after(self, half):
        group, options = self.claims.groups[half.group], []
        for shadow, position in zip(group.shadows, group.nodes[half.node].shadows):
            if half.effect and half.effect[:2] == ("take", shadow.object) and self.follows(shadow, half.effect[2]):
                options.append(sorted(self.moves[shadow.sender, shadow.object][position].get(half.effect[2], ())))
            else:
                options.append([position])
        return list(product(*options))

    def sizes(self):
        super().sizes()
        effects = [half.effect for half in self.halves if half.effect]
        unordered = {effect[1] for effect in effects if effect[0] in ("put", "take") and effect[3]}
        one = [group.at_most == 1 for group in self.claims.groups]
        for receiver, group in enumerate(self.claims.groups):
            for shadow in group.shadows:
                kind, where = self.claims.objects[shadow.object].place
                sender = self.claims.auxiliaries[shadow.sender].group
                demand((kind == "global" or one[where.group]) and one[sender] and one[receiver], 23,
                       "channel, sender and receiver of a shadow must each be one")
                demand(self.capacity(shadow.object) and shadow.object not in unordered, 23, "no first-in first-out")
                for transition in self.transitions:
                    number, class_, more = transition.message or (None, None, 0)
                    if number == shadow.object and self.follows(shadow, class_):
                        demand(transition.actor[0] == (sender if more > 0 else receiver), 23, "somebody else sends or receives")


class Lengths(Machine):
    """Knows how much one buffer holds."""

    def __init__(self, machine, number, held):
        super().__init__(machine.system, machine.claims, machine.single)
        self.with_trackers, self.number, self.held = False, number, held

    def values(self, e, world):
        word = e[0] if isinstance(e, list) else None
        if word not in ("len", "empty", "nempty") or self.held[0] > MAX:
            yield from super().values(e, world)
            return
        for number, found in self.channels(e[1], world):
            low, high = self.held if number == self.number else (0, MAX)
            if word == "len":
                yield interval(low, min(high, MAX)), found
            else:
                for is_empty in [True] * (low == 0) + [False] * (high > 0):
                    yield interval(*(int(is_empty == (word == "empty")),) * 2), found


class Prover(proofs.Prover):
    def __init__(self, checker):
        super().__init__(checker)
        for index, bar in enumerate(self.claims.bars):
            weights = proofs.Weights(checker, bar.potential, f"bar {index}")
            demand(all(weight >= 0 for table in (weights.messages, weights.nodes, weights.trackers) for weight in table.values()),
                   24, f"bar {index}: a weight is negative")
            self.nothing_grows(25, f"bar {index}", weights)
            demand(weights.at_start(checker) == bar.total, 26, f"bar {index} is another number at the start")

    def guarded(self, label, proof):
        self.is_buffer(label, proof.object)
        demand(proof.sender < len(self.claims.groups), 3, f"{label}: the sender does not exist")
        group = self.claims.groups[proof.sender]
        demand(self.claims.objects[proof.object].place[0] == "global" and group.at_most == 1, 33, f"{label}: not one sender")
        demand(claims.ascending([known.node for known in proof.known]) and all(
            known.node < len(group.nodes) and known.at_most < proof.at_most for known in proof.known), 3, f"{label}: known lengths")
        known = {entry.node: entry.at_most for entry in proof.known}
        for transition in self.transitions:
            number, _, more = transition.message or (None, None, 0)
            demand(number != proof.object or more < 0 or transition.actor[0] == proof.sender, 33, f"{label}: somebody else sends")
            for component, source, to in transition.moves:
                if component == ("group", proof.sender):
                    held = known.get(source, proof.at_most)
                    if transition.actor[0] == proof.sender:
                        held = self.most_held(proof.object, transition.actor, held)
                        held = max(held + more, 0) if number == proof.object else held
                    demand(held <= known.get(to, proof.at_most), 34, f"{label}: after {transition.actor} it may hold {held}")

    def most_held(self, number, actor, held):
        """The largest length up to `held` with which the statement can be executed; -1 if there is none."""
        group, node, edge, inside = actor
        if inside is not None:
            return held
        place, automaton = self.claims.groups[group].nodes[node], self.checker.automaton(group)
        cuts = claims.cuts_of([automaton.edges[other].action for other in automaton.locations[place.point[1]]])
        for piece in reversed(list(pieces(interval(0, held), cuts, 1000))):
            machine = Lengths(self.checker.machine, number, piece.ints[0])
            world = self.checker.world(self.claims.groups[group], place)
            if any(found[0] == edge for found in machine.outcomes(automaton, place.point, world)):
                return piece.ints[0][1]
        return -1
