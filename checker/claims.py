"""The claims: do they hold at the start, and does every statement keep them? What may happen are the transitions."""
from collections import namedtuple
from itertools import product

from machine import Machine, World, cuts_of
from sets import NOTHING, ZERO, NotCovered, channel, demand, interval, split
from system import contains_run, parts_of

Half = namedtuple("Half", "group node edge inside world effect target")
Transition = namedtuple("Transition", "actor partner moves many message start end")


class Checker:
    def __init__(self, system, certificate, budget):
        self.system, self.certificate, self.claims = system, certificate, certificate.claims
        demand(certificate.proofs, 2, "the certificate proves nothing")
        self.well_formed()
        self.machine = Machine(system, self.claims, budget)
        self.starts = [set() for _ in self.claims.auxiliaries]
        self.shadow_moves = {}
        for process in system.processes:
            demand(process.provided is None or not contains_run(process.provided), 12, "a `provided` clause starts a process")
        for group in self.claims.groups:
            group.at = {}                   # nodes by point and shadows, in order
            for number, node in enumerate(group.nodes):
                group.at.setdefault((point_of(node), tuple(node.shadows)), []).append(number)
        self.begin()
        self.find_halves()
        self.find_shadows()
        self.place_at_start()
        self.find_transitions()
        self.sizes()
        self.names_end()
        self.one_sender()

    # R3 to R7: what is named exists, is in its one form, and has one type.

    def well_formed(self):
        claims, system = self.claims, self.system
        self.objects = len(claims.objects)
        self.typed(claims.globals, [slot.type for slot in system.globals], "the globals")
        for index, group in enumerate(claims.groups):
            demand(group.automaton < len(system.processes), 3, f"group {index} is of no proctype")
            automaton = system.processes[group.automaton]
            self.typed(group.slots, [slot.type for slot in automaton.slots], f"group {index}")
            self.typed([group.pid], ["pid"], f"the pid of group {index}")
            for shadow in group.shadows:
                demand(shadow.object < self.objects and shadow.sender < len(claims.auxiliaries), 3,
                       f"a shadow of group {index} is of nothing that exists")
            seen = set()
            for node in group.nodes:
                fits = len(node.shadows) == len(group.shadows) and all(
                    at < len(claims.auxiliaries[shadow.sender].nodes) for at, shadow in zip(node.shadows, group.shadows))
                demand(fits, 3, f"a node of group {index} has shadows that do not fit")
                self.node_fits(node, group, automaton)
                name = (point_of(node), tuple(node.shadows), tuple((e.slot, e.values) for e in node.locals),
                        tuple((e.slot, e.values) for e in node.globals))
                demand(name not in seen, 3, f"group {index} has a node twice")
                seen.add(name)
        for index, auxiliary in enumerate(claims.auxiliaries):
            demand(auxiliary.group < len(claims.groups), 3, f"auxiliary graph {index} is of no group")
            group = claims.groups[auxiliary.group]
            for node in auxiliary.nodes:
                demand(not node.globals and not node.shadows, 3, f"a node of auxiliary graph {index} does not fit")
                self.node_fits(node, group, system.processes[group.automaton])
        for index, tracker in enumerate(claims.trackers):
            demand(tracker.slots and ascending(tracker.slots), 3, f"the slots of tracker {index}")
            for slot in tracker.slots:
                demand(slot < len(system.globals) and not system.globals[slot].hidden, 3, f"tracker {index} follows nothing")
            for sets in tracker.nodes:
                fits = len(sets) == len(tracker.slots) and all(
                    values and values <= claims.globals[slot] for slot, values in zip(tracker.slots, sets))
                demand(fits, 3, f"a node of tracker {index} does not fit")
                self.known(sets)
            demand(disjoint(tracker.nodes), 7, f"two nodes of tracker {index} overlap")
        created = self.created()
        places = [(kind, getattr(where, "group", None), where.slot) for kind, where in (o.place for o in claims.objects)]
        for thing, place in zip(claims.objects, places):
            demand(place in created, 3, "an object is at a place where no channel is created")
            thing.type = created[place]
            for sets in thing.classes:
                self.typed(sets, system.channels[thing.type][1], "a message class")
                demand(all(sets), 3, "a message class is empty")
            demand(disjoint(thing.classes), 6, "two message classes overlap")
        demand(len(set(places)) == len(places) == len(created), 5, "not every channel has exactly one object")
        self.object_at = {place: number for number, place in enumerate(places)}

    def created(self):
        found = {("global", None, number): slot.init[1]
                 for number, slot in enumerate(self.system.globals) if slot.init and slot.init[0] == "new"}
        for index, group in enumerate(self.claims.groups):
            for number, slot in enumerate(self.system.processes[group.automaton].slots):
                if slot.init and slot.init[0] == "new":
                    found["local", index, number] = slot.init[1]
        return found

    def known(self, sets):
        demand(all(number < self.objects for values in sets for number in values.chans), 3, "a channel that is no object")

    def typed(self, sets, types, what):
        demand(len(sets) == len(types), 3, f"{what}: another number of sets than there are slots or fields")
        self.known(sets)
        for values, type_ in zip(sets, types):
            right = values.ints in ((), ((0, 0),)) if type_ == "chan" else not values.chans
            demand(right, 4, f"{what}: numbers where channels are, or the other way round")

    def node_fits(self, node, group, automaton):
        kind, where = node.point
        if kind == "at":
            exists = where < len(automaton.locations)
        else:
            exists = where.edge < len(automaton.edges) and automaton.edges[where.edge].action[0] == "d_step" \
                and where.step < len(automaton.edges[where.edge].action) - 1
        demand(exists, 3, "a node is at a point that does not exist")
        for listed, claimed in ((node.locals, group.slots), (node.globals, self.claims.globals)):
            demand(ascending([entry.slot for entry in listed]), 3, "a node lists slots out of order")
            for entry in listed:
                demand(entry.slot < len(claimed) and entry.values and entry.values <= claimed[entry.slot], 3,
                       "a node lists a slot that does not exist, or values that are not claimed")
        for entry in node.globals:
            demand(not self.system.globals[entry.slot].hidden, 3, "a node lists a hidden slot")
        node.sets = [(("local", entry.slot), entry.values) for entry in node.locals] \
            + [(("global", entry.slot), entry.values) for entry in node.globals]

    # What is known of a process in a node.

    def world(self, group, node, length=None):
        listed = dict(node.sets)

        def base(key):
            if key in listed:
                return listed[key]
            return group.slots[key[1]] if key[0] == "local" else self.claims.globals[key[1]] if key[0] == "global" else group.pid
        return World(base, length)

    def cover(self, nodes, candidates, world, rule, what):
        """Nodes for all of a world: each takes what those before it leave."""
        rest, found = [world], []
        for number in candidates:
            left = []
            for one in rest:
                if any(not one.value(key) & values for key, values in nodes[number].sets):
                    left.append(one)
                    continue
                for key, values in nodes[number].sets:
                    have = one.value(key)
                    if have - values:
                        left.append(one.knowing(key, have - values))
                        one = one.knowing(key, have & values)
                found.append((number, one))
            rest = left
            if not rest:
                break
            if len(rest) > 10_000:
                raise NotCovered("a world in more than 10,000 pieces")
        demand(not rest, rule, f"{what}: no node for {dict(rest[0].now) if rest else ''}")
        return found

    # R9, R10: the start.

    def begin(self):
        """The values at the start, and the group of each process."""
        system, claims = self.system, self.claims
        self.begun, globals_ = [], {}

        def length(_):
            return 0, 0                     # every channel is empty at the start

        def initial(frame, slots, given, place, now, base):
            for number, slot in enumerate(slots):
                now[frame, number] = ZERO
            now.update(given)
            self.machine.cuts = ()
            for number, slot in enumerate(slots):
                if slot.init is None or (frame, number) in given:
                    continue
                if slot.init[0] == "new":
                    now[frame, number] = channel(self.object_at[place(number)])
                else:
                    demand(not contains_run(slot.init), 12, "an initial value starts a process")
                    self.machine.worlds = 0
                    world = World(base, length)
                    world.now = dict(now)
                    values = NOTHING
                    for value, _ in self.machine.values(slot.init[1], world):
                        values = values | self.machine.cut(slot.type, value)
                    demand(values, 10, "there is no initial state")
                    now[frame, number] = values

        self.machine.with_trackers = False
        initial("global", system.globals, {}, lambda n: ("global", None, n), globals_, lambda key: ZERO)
        for (_, number), values in globals_.items():
            demand(values <= claims.globals[number], 9, f"{system.globals[number].name} begins with {values}")
        for proctype, automaton in enumerate(system.processes):
            for _ in range(automaton.active):
                pid = interval(len(self.begun), len(self.begun))
                demand(len(self.begun) < system.most_processes, 10, "too many processes at the start")
                given = {("local", n): ZERO for n in range(automaton.parameters)}
                fits = [number for number, group in enumerate(claims.groups)
                        if group.automaton == proctype and pid <= group.pid
                        and all(ZERO <= values for values in group.slots[:automaton.parameters])]
                demand(fits, 10, f"a process of {automaton.name} is in no group")
                group, now = fits[0], dict(globals_)
                now["pid", 0] = pid
                initial("local", automaton.slots, given, lambda n: ("local", group, n), now, lambda key: ZERO)
                for number, values in enumerate(claims.groups[group].slots):
                    demand(now["local", number] <= values, 9, f"{automaton.slots[number].name} begins with something else")
                world = World(lambda key: ZERO)
                world.now = now
                self.begun.append((group, world))
        self.globals_at_start = globals_
        self.machine.with_trackers = True

    def place_at_start(self):
        self.initial = []
        for group, world in self.begun:
            nodes = self.claims.groups[group].nodes
            point = ("at", self.automaton(group).initial)
            places = set()
            for shadows in self.beginnings(group):
                for number, _ in self.cover(nodes, self.at(group, point, shadows), world, 10, "a process at the start"):
                    places.add(number)
            self.initial.append((group, places))
        self.trackers_at_start = []
        for index, tracker in enumerate(self.claims.trackers):
            there = [number for number, sets in enumerate(tracker.nodes) if all(
                self.globals_at_start["global", slot] <= values for slot, values in zip(tracker.slots, sets))]
            demand(there, 10, f"tracker {index} is in no node at the start")
            self.trackers_at_start.append(there[0])

    def automaton(self, group):
        return self.system.processes[self.claims.groups[group].automaton]

    def at(self, group, point, shadows):
        return self.claims.groups[group].at.get((point, tuple(shadows)), [])

    def count_at_start(self, group):
        return sum(of == group for of, _ in self.begun)

    # Every statement of every node.

    def find_halves(self):
        self.halves = []
        bars = [(bar.total, {(w.group, w.node): w.weight for w in bar.potential.nodes},
                 {(w.object, getattr(w, "class")): w.weight for w in bar.potential.messages}) for bar in self.claims.bars]

        def barred(group, node, taken=None):
            return any(nodes.get((group, node), 0) + messages.get(taken, 0) > total for total, nodes, messages in bars)
        shared = {("global", slot) for slot in self.machine.trackers_of} \
            | {key for group in self.claims.groups for node in group.nodes for key, _ in node.sets if key[0] == "global"}
        for index, group in enumerate(self.claims.groups):
            listed = sorted({key for node in group.nodes for key, _ in node.sets if key[0] == "global"})
            matters = shared | {key for node in group.nodes + self.auxiliary_nodes(index) for key, _ in node.sets}
            seen = set()
            for number, node in enumerate(group.nodes):
                if barred(index, number):
                    continue
                worlds = [self.world(group, node)]
                for key in listed:           # where nodes list a slot of a tracker, process and tracker agree
                    worlds = [found for world in worlds for found in self.machine.choose_trackers(key, world)]
                for world in worlds:
                    for edge, inside, found, effect, target in self.machine.outcomes(
                            self.automaton(index), point_of(node), world):
                        if effect and effect[0] == "take" and barred(index, number, effect[1:3]):
                            continue
                        if target is not None:
                            self.keeps_claims(group, found)
                        # Values that no node lists have done their part, unless a new process sees them.
                        if not effect or effect[0] != "start":
                            found = found.about(matters)
                        name = (number, edge, inside, repr(effect), target, found.name())
                        if name not in seen:
                            seen.add(name)
                            self.halves.append(Half(index, number, edge, inside, found, effect, target))
        self.ending = {half.group for half in self.halves if half.target is None}

    def auxiliary_nodes(self, group):
        return [node for auxiliary in self.claims.auxiliaries if auxiliary.group == group for node in auxiliary.nodes]

    def keeps_claims(self, group, world):
        for frame, number in world.written:
            claimed = group.slots[number] if frame == "local" else self.claims.globals[number]
            demand(world.now[frame, number] <= claimed, 13,
                   f"{frame} slot {number} may become {world.now[frame, number]}, which is not claimed")

    # R11, R22, R23: shadows.

    def find_shadows(self):
        claims = self.claims
        for index, auxiliary in enumerate(claims.auxiliaries):
            initial = ("at", self.automaton(auxiliary.group).initial)
            at_start = [n for n, node in enumerate(auxiliary.nodes) if point_of(node) == initial]
            worlds = [world for group, world in self.begun if group == auxiliary.group]
            for half in self.halves:
                if half.effect and half.effect[0] == "start":
                    worlds += [world for group, world in self.started(half) if group == auxiliary.group]
            for world in worlds:
                for number, _ in self.cover(auxiliary.nodes, at_start, world, 22, "a sender that begins"):
                    self.starts[index].add(number)
        for group in claims.groups:
            for shadow in group.shadows:
                demand(self.starts[shadow.sender], 11, "a shadow follows a group of which no process is ever started")
                if (shadow.sender, shadow.object) not in self.shadow_moves:
                    self.shadow_moves[shadow.sender, shadow.object] = self.follow(shadow.sender, shadow.object)

    def follow(self, index, number):
        """For each node of an auxiliary graph, where the sender may be after the next message of each class."""
        auxiliary = self.claims.auxiliaries[index]
        group = self.claims.groups[auxiliary.group]
        silent, sends = [set() for _ in auxiliary.nodes], [set() for _ in auxiliary.nodes]
        self.machine.with_trackers = False
        for source, node in enumerate(auxiliary.nodes):
            outcomes = self.machine.outcomes(self.automaton(auxiliary.group), point_of(node), self.world(group, node))
            for _, _, world, effect, target in outcomes:
                # That the claims hold the group's own graph shows; here they are used.
                local = [(key, world.now[key] & group.slots[key[1]]) for key in world.written if key[0] == "local"]
                if target is None or not all(values for _, values in local):
                    continue
                for key, values in local:
                    world = world.write(key, values)
                there = [n for n, other in enumerate(auxiliary.nodes) if point_of(other) == target]
                for to, _ in self.cover(auxiliary.nodes, there, world, 22, "a step of the sender"):
                    if effect and effect[0] == "put" and effect[1] == number:
                        sends[source].add((effect[2], to))
                    else:
                        silent[source].add(to)
        self.machine.with_trackers = True
        moves = []
        for source in range(len(auxiliary.nodes)):
            reached = reachable(silent, source)
            after = {}
            for node in reached:
                for class_, to in sends[node]:
                    after.setdefault(class_, set()).add(to)
            moves.append(after)
        return moves

    def follows(self, shadow, class_):
        return any(class_ in after for after in self.shadow_moves[shadow.sender, shadow.object])

    def beginnings(self, group):
        return list(product(*(sorted(self.starts[shadow.sender]) for shadow in self.claims.groups[group].shadows)))

    def shadows_after(self, half):
        group = self.claims.groups[half.group]
        options = []
        for shadow, position in zip(group.shadows, group.nodes[half.node].shadows):
            taken = half.effect and half.effect[0] == "take" and half.effect[1] == shadow.object
            if taken and self.follows(shadow, half.effect[2]):
                moves = self.shadow_moves[shadow.sender, shadow.object][position]
                options.append(sorted(moves.get(half.effect[2], ())))
            else:
                options.append([position])
        return product(*options)

    def one_sender(self):
        unordered = {half.effect[1] for half in self.halves if half.effect and half.effect[0] in ("put", "take") and half.effect[3]}
        one = [group.at_most == 1 for group in self.claims.groups]
        for receiver, group in enumerate(self.claims.groups):
            for shadow in group.shadows:
                kind, where = self.claims.objects[shadow.object].place
                sender = self.claims.auxiliaries[shadow.sender].group
                demand((kind == "global" or one[where.group]) and one[sender] and one[receiver], 23,
                       "channel, sender and receiver of a shadow must each be one")
                demand(self.capacity(shadow.object) and shadow.object not in unordered, 23, "no first-in first-out")
                for transition in self.transitions:
                    if transition.message and transition.message[0] == shadow.object \
                            and self.follows(shadow, transition.message[1]):
                        expected = sender if transition.message[2] > 0 else receiver
                        demand(transition.actor[0] == expected, 23, "somebody else sends or receives")

    # R15 to R19: transitions.

    def started(self, half):
        """R16: groups in which a `run` may start a process, with what is known of it."""
        _, proctype, arguments = half.effect
        rest, found = [arguments], []
        for index, group in enumerate(self.claims.groups):
            if group.automaton != proctype:
                continue
            parts = [split(box, group.slots[:len(arguments)]) for box in rest]
            rest = [box for _, left in parts for box in left]
            for inside, _ in parts:
                if inside is not None:
                    demand(interval(1, self.system.most_processes - 1) <= group.pid, 16, "pids of what `run` starts")
                    found.append((index, self.first_frame(index, group, inside, half.world)))
        demand(not rest, 16, f"it may start a process with {rest[:1]}, which is in no group")
        return found

    def first_frame(self, index, group, arguments, starter):
        def base(key):
            return group.pid if key[0] == "pid" else starter.value_before(key) if key[0] == "global" else ZERO
        world = World(base)
        for number, values in enumerate(arguments):
            world.now["local", number] = values
        slots = self.automaton(index).slots
        self.machine.with_trackers = False
        for number, slot in enumerate(slots):
            if slot.init is None or number < self.automaton(index).parameters:
                continue
            if slot.init[0] == "new":
                values = channel(self.object_at["local", index, number])
            else:
                demand(not contains_run(slot.init), 12, "an initial value starts a process")
                self.machine.cuts, self.machine.worlds = cuts_of([slot.init]), 0
                values = NOTHING
                for value, _ in self.machine.values(slot.init[1], world):
                    values = values | self.machine.cut(slot.type, value)
            world.now["local", number] = values
        self.machine.with_trackers = True
        for number, claimed in enumerate(group.slots):
            demand(world.value(("local", number)) <= claimed, 16, f"slot {number} of a new process begins with something else")
        return world

    def find_transitions(self):
        groups = self.claims.groups
        self.listing = [{key[1] for node in group.nodes for key, _ in node.sets if key[0] == "global"} for group in groups]
        self.tokens = [self.tokens_of(index) for index in range(len(groups))]
        self.started_groups, self.transitions = set(), set()
        self.carried_memo = {}
        accepts = {}
        for half in self.halves:
            if half.effect and half.effect[0] == "accept":
                accepts.setdefault(half.effect[1:], []).append(half)
        for half in self.halves:
            if half.effect and half.effect[0] == "offer":
                for other in accepts.get(half.effect[1:], ()):
                    if half.group != other.group or self.tokens[half.group] == "any":
                        self.rendezvous(half, other)
            elif not half.effect or half.effect[0] != "accept":
                self.single(half)
        self.transitions = sorted(self.transitions, key=repr)

    def tokens_of(self, index):
        """How many processes of a group there are while another one moves: exactly one, at most one, any number."""
        group, automaton = self.claims.groups[index], self.automaton(index)
        if group.at_most != 1:
            return "any"
        ends = any(automaton.edges[edge].action[0] == "end" for node in group.nodes if node.point[0] == "at"
                   for edge in automaton.locations[node.point[1]])
        runs = any(isinstance(part, list) and part[:2] == ["run", group.automaton] for process in self.system.processes
                   for edge in process.edges for part in parts_of(edge.action))
        return "one" if self.count_at_start(index) == 1 and not ends and not runs else "at most one"

    def destinations(self, half, world):
        nodes = self.claims.groups[half.group].nodes
        for shadows in self.shadows_after(half):
            yield from self.cover(nodes, self.at(half.group, half.target, shadows), world, 15,
                                  f"{self.automaton(half.group).name}, edge {half.edge}")

    def single(self, half):
        message = None
        if half.effect and half.effect[0] in ("put", "take"):
            message = (half.effect[1], half.effect[2], 1 if half.effect[0] == "put" else -1)
        starts = [None]
        if half.effect and half.effect[0] == "start":
            starts = []
            for group, world in self.started(half):
                demand(not any(key[1] in self.listing[group] for key in half.world.written if key[0] == "global"), 19,
                       "it writes a global that the process it starts has tracked")
                self.started_groups.add(group)
                point = ("at", self.automaton(group).initial)
                for shadows in self.beginnings(group):
                    found = self.cover(self.claims.groups[group].nodes, self.at(group, point, shadows), world, 16, "a start")
                    starts += [(group, number) for number, _ in found]
        actor = (half.group, half.node, half.edge, half.inside)
        for start in set(starts):
            if half.target is None:
                draft = Transition(actor, None, (), (), message, start, (half.group, half.node))
                self.finish(draft, half.world, half.world, [half.group])
                continue
            for to, world in self.destinations(half, half.world):
                move = (("group", half.group), half.node, to)
                self.finish(Transition(actor, None, (move,), (), message, start, None), world, half.world, [half.group])

    def rendezvous(self, offer, accept):
        trackers = dict(offer.world.trackers)
        for index, node in accept.world.trackers.items():
            if trackers.setdefault(index, node) != node:
                return
        # Both see the same globals; what the receiver writes, the sender sees afterwards.
        sender, receiver = offer.world.copy(), accept.world.copy()
        for key in {key for key in list(sender.now) + list(receiver.now) if key[0] == "global"}:
            before = offer.world.value_before(key) & accept.world.value_before(key)
            if not before:
                return
            after = accept.world.now[key] if key in receiver.written else before
            for world in (sender, receiver):
                world.before[key], world.now[key] = before, after
        for world in (sender, receiver):
            world.trackers = trackers
        actor, partner = [(half.group, half.node, half.edge, half.inside) for half in (offer, accept)]
        for sender_to, sender_world in self.destinations(offer, sender):
            for receiver_to, receiver_world in self.destinations(accept, receiver):
                if all(sender_world.value(key) & receiver_world.value(key) for key in sender_world.now if key[0] == "global"):
                    moves = ((("group", offer.group), offer.node, sender_to), (("group", accept.group), accept.node, receiver_to))
                    self.finish(Transition(actor, partner, moves, (), None, None, None), receiver_world, receiver,
                                [offer.group, accept.group])

    def finish(self, draft, world, mover, movers):
        """Adds the moves of trackers and of other processes that list what is written."""
        written = {key[1] for key in world.written if key[0] == "global"}
        options = []
        for index, node in sorted(world.trackers.items()):
            slots = self.claims.trackers[index].slots
            if written.intersection(slots):
                options.append([((("tracker", index), node, to),) for to in self.tracker_targets(index, node, written, world)])
            elif any(slot in self.listing[group] for slot in slots for group in movers):
                options.append([((("tracker", index), node, node),)])
        for slot in written:
            demand(all(index in world.trackers for index in self.machine.trackers_of.get(slot, ())), 17, "written unseen")
        many = set()
        for other, listing in enumerate(self.listing if written else ()):
            tokens = self.tokens[other]
            if not listing & written or (other in movers and tokens != "any"):
                continue
            moved, unmoved = self.carried(other, written, world)
            moved = [(("group", other), source, to) for source, to in moved]
            if tokens == "any":
                many.update(moved)
            else:
                stay = [()] if unmoved or tokens == "at most one" else []
                options.append([(move,) for move in moved] + stay)
        for choice in product(*options):
            moves = draft.moves + tuple(move for some in choice for move in some)
            self.transitions.add(draft._replace(moves=moves, many=tuple(sorted(many))))

    def tracker_targets(self, index, node, written, world):
        """R17."""
        tracker = self.claims.trackers[index]
        rest, targets = [[world.value(("global", slot)) for slot in tracker.slots]], []
        for number, sets in enumerate(tracker.nodes):
            parts = [split(box, sets) for box in rest]
            rest = [box for _, left in parts for box in left]
            if any(inside is not None for inside, _ in parts):
                targets.append(number)
        demand(not rest, 17, f"tracker {index} has no node for {rest[:1]}")
        return targets

    def carried(self, other, written, world):
        """R18: where processes of another group go that list a slot which is written. Inside a d_step nobody is carried."""
        globals_ = tuple(sorted((key[1], world.value_before(key), world.now[key], key in world.written)
                                for key in world.now if key[0] == "global"))
        memo = (other, globals_)
        if memo in self.carried_memo:
            return self.carried_memo[memo]
        group, moved, unmoved = self.claims.groups[other], set(), False
        for number, node in enumerate(group.nodes):
            if node.point[0] == "inside":
                continue
            if not any(key[0] == "global" and key[1] in written for key, _ in node.sets):
                unmoved = True
                continue
            if not all(world.value_before(key) & values for key, values in node.sets if key[0] == "global"):
                continue
            there = self.world(group, node)
            possible = True
            for slot, _, now, is_written in globals_:
                key = ("global", slot)
                there = there.write(key, now) if is_written else there.knowing(key, now & there.value(key))
                possible &= bool(there.value(key))
            if possible:
                candidates = self.at(other, point_of(node), node.shadows)
                for to, _ in self.cover(group.nodes, candidates, there, 18, f"node {number} of group {other} carried along"):
                    moved.add((number, to))
        self.carried_memo[memo] = (sorted(moved), unmoved)
        return self.carried_memo[memo]

    # R20, R21.

    def sizes(self):
        for index, group in enumerate(self.claims.groups):
            if group.at_most is not None:
                proved = any(kind == "starts" and proof.group == index for kind, proof in self.certificate.proofs)
                plain = index not in self.started_groups and self.count_at_start(index) == group.at_most
                demand(proved or plain, 21, f"nothing shows that group {index} has at most {group.at_most} processes")

    def names_end(self):
        mortal = {number for number, thing in enumerate(self.claims.objects)
                  if thing.place[0] == "local" and thing.place[1].group in self.ending}
        fields = [values for thing in self.claims.objects for sets in thing.classes for values in sets]
        demand(not any(values.chans & mortal for values in self.claims.globals + fields), 20,
               "a channel of a process that may end is kept in a global variable or sent in a message")

    def capacity(self, number):
        return self.system.capacity(self.claims.objects[number].type)

    def channels_of(self, number):
        """How many channels an object stands for, if that is claimed."""
        kind, where = self.claims.objects[number].place
        return 1 if kind == "global" else self.claims.groups[where.group].at_most

    def keeps_messages(self, number):
        """Whether the messages never disappear with the process that owns the channel."""
        kind, where = self.claims.objects[number].place
        return kind == "global" or where.group not in self.ending

    def can_have_members(self, index, label):
        """R8: a process of the group does not always belong to a group before it."""
        def box(group):
            return [group.pid] + group.slots[:self.system.processes[group.automaton].parameters]
        own = self.claims.groups[index]
        rest = [box(own)] if all(box(own)) else []
        for group in self.claims.groups[:index]:
            if group.automaton == own.automaton:
                rest = [left for part in rest for left in split(part, box(group))[1]]
        demand(rest, 8, f"{label}: every process of group {index} belongs to a group before it")


def point_of(node):
    kind, where = node.point
    return (kind, where if kind == "at" else (where.edge, where.step))


def ascending(numbers):
    return all(a < b for a, b in zip(numbers, numbers[1:]))


def disjoint(boxes):
    return all(split(a, b)[0] is None for index, a in enumerate(boxes) for b in boxes[:index])


def reachable(edges, source):
    seen, stack = {source}, [source]
    while stack:
        for to in edges[stack.pop()]:
            if to not in seen:
                seen.add(to)
                stack.append(to)
    return seen
