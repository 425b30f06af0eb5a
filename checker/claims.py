"""The claims: do they hold at the start, and does every statement keep them? What may happen are the transitions."""
from collections import namedtuple
from itertools import product

from machine import Machine, World, cuts_of
from sets import NOTHING, ZERO, NotCovered, channel, deal, demand, interval
from system import contains_run, parts_of

Half = namedtuple("Half", "group node edge inside world effect target")
# An actor is (group, node, edge, inside), a move (component, from, to), a message (object, class, 1 or -1).
Transition = namedtuple("Transition", "actor partner moves many message start end")


class Checker:
    def __init__(self, system, certificate, single):
        self.system, self.certificate, self.claims = system, certificate, certificate.claims
        self.covers(self.claims)
        self.well_formed()
        demand(certificate.proofs, 2, "the certificate proves nothing")
        for process in system.processes:
            demand(not contains_run(process.provided), 12, "a `provided` clause starts a process")
        self.machine = Machine(system, self.claims, single)
        self.begin()
        self.find_halves()
        self.follow_shadows()
        self.place_at_start()
        self.find_transitions()
        self.sizes()
        self.names_end()

    # What beyond.py adds to.

    def covers(self, claims):
        if claims.auxiliaries or claims.bars or any(group.shadows for group in claims.groups):
            raise NotCovered("shadows and bars")

    def follow_shadows(self):
        pass

    def beginnings(self, _group):
        return [()]

    def shadows_after(self, _half):
        return [()]

    def is_barred(self, _group, _node, _taken=None):
        return False

    # R3 to R6: what is named exists, is in its one form, and has one type.

    def well_formed(self):
        claims, system = self.claims, self.system
        self.typed(claims.globals, [slot.type for slot in system.globals], "the globals")
        for index, group in enumerate(claims.groups):
            demand(group.automaton < len(system.processes), 3, f"group {index} is of no proctype")
            slots = system.processes[group.automaton].slots
            self.typed(group.slots, [slot.type for slot in slots], f"group {index}")
            self.typed([group.pid], ["pid"], f"the pid of group {index}")
            self.nodes_fit(group, group.nodes, len(group.shadows))
            group.at, names = {}, set()     # nodes by point and shadows, in order
            for number, node in enumerate(group.nodes):
                group.at.setdefault((node.point, tuple(node.shadows)), []).append(number)
                names.add((node.point, tuple(node.shadows), tuple(node.sets.items())))
            demand(len(names) == len(group.nodes), 3, f"group {index} has a node twice")
        for index, tracker in enumerate(claims.trackers):
            demand(tracker.slots and ascending(tracker.slots), 3, f"the slots of tracker {index}")
            demand(all(slot < len(system.globals) and not system.globals[slot].hidden for slot in tracker.slots), 3,
                   f"tracker {index} follows nothing")
            for sets in tracker.nodes:
                demand(len(sets) == len(tracker.slots) and all(
                    values and values <= claims.globals[slot] for slot, values in zip(tracker.slots, sets)), 3,
                    f"a node of tracker {index} does not fit")
        created = {("global", None, number): slot.init[1] for number, slot in enumerate(system.globals) if is_new(slot)}
        for index, group in enumerate(claims.groups):
            created.update({("local", index, number): slot.init[1] for number, slot
                            in enumerate(system.processes[group.automaton].slots) if is_new(slot)})
        places = [(kind, getattr(where, "group", None), where.slot) for kind, where in (o.place for o in claims.objects)]
        for thing, place in zip(claims.objects, places):
            demand(place in created, 3, "an object is at a place where no channel is created")
            thing.type = created[place]
            for sets in thing.classes:
                self.typed(sets, system.channels[thing.type][1], "a message class", 6)
                demand(all(sets), 3, "a message class is empty")
        demand(len(set(places)) == len(places) == len(created), 5, "not every channel has exactly one object")
        self.object_at = {place: number for number, place in enumerate(places)}

    def typed(self, sets, types, what, rule=3):
        demand(len(sets) == len(types), rule, f"{what}: another number of sets than there are slots or fields")
        for values, type_ in zip(sets, types):
            demand(all(number < len(self.claims.objects) for number in values.chans), 3, f"{what}: no such channel")
            right = values.ints in ((), ((0, 0),)) if type_ == "chan" else not values.chans
            demand(right, 4, f"{what}: numbers where channels are, or the other way round")

    def nodes_fit(self, group, nodes, shadows):
        automaton = self.system.processes[group.automaton]
        for node in nodes:
            kind, where = node.point
            node.point = (kind, where if kind == "at" else (where.edge, where.step))
            if kind == "at":
                exists = where < len(automaton.locations)
            else:
                action = automaton.edges[where.edge].action if where.edge < len(automaton.edges) else ["none"]
                exists = action[0] == "d_step" and where.step < len(action) - 1
            demand(exists, 3, "a node is at a point that does not exist")
            for listed, claimed in ((node.locals, group.slots), (node.globals, self.claims.globals)):
                demand(ascending([entry.slot for entry in listed]) and all(
                    entry.slot < len(claimed) and entry.values and entry.values <= claimed[entry.slot]
                    for entry in listed), 3, "a node lists slots out of order, or values that are not claimed")
            demand(not any(self.system.globals[entry.slot].hidden for entry in node.globals), 3, "a node lists a hidden slot")
            demand(len(node.shadows) == shadows, 3, "a node has another number of shadows than its group")
            node.sets = {("local", entry.slot): entry.values for entry in node.locals}
            node.sets.update({("global", entry.slot): entry.values for entry in node.globals})

    # What is known of a process in a node, and which nodes a world needs.

    def automaton(self, group):
        return self.system.processes[self.claims.groups[group].automaton]

    def world(self, group, node):
        def base(key):
            frame, number = key
            return node.sets.get(key) or {"local": group.slots, "global": self.claims.globals, "pid": [group.pid]}[frame][number]
        return World(base)

    def cover(self, nodes, candidates, world, rule, what):
        """Nodes for all of a world: each takes what those before it leave."""
        rest, found = [world], []
        for number in candidates:
            left = []
            for one in rest:
                if not all(one.value(key) & values for key, values in nodes[number].sets.items()):
                    left.append(one)
                    continue
                for key, values in nodes[number].sets.items():
                    have = one.value(key)
                    if have - values:
                        left.append(one.knowing(key, have - values))
                    one = one.knowing(key, have & values)
                found.append((number, one))
            rest = left
            if len(rest) > 10_000:
                raise NotCovered("a world in more than 10,000 pieces")
        demand(not rest, rule, f"{what}: no node for {rest[0].now if rest else ''}")
        return found

    def cover_at(self, group, point, shadows, world, rule, what):
        claimed = self.claims.groups[group]
        return self.cover(claimed.nodes, claimed.at.get((point, tuple(shadows)), ()), world, rule, what)

    def initialise(self, frame, slots, given, group, world):
        """Gives each slot of a new frame its first value, in order."""
        self.machine.with_trackers, self.machine.worlds = False, 0
        for number in range(len(slots)):
            world.now[frame, number] = given[number] if number < len(given) else ZERO
        for number, slot in enumerate(slots):
            value = world.now[frame, number]
            if is_new(slot):
                value = channel(self.object_at[frame, group, number])
            elif slot.init:
                demand(not contains_run(slot.init), 12, "an initial value starts a process")
                self.machine.cuts = cuts_of([slot.init])
                value = NOTHING
                for one, _ in self.machine.values(slot.init[1], world):
                    value = value | self.machine.cut(slot.type, one)
                demand(value, 10, "an initial value is an error")
            world.now[frame, number] = value
        self.machine.with_trackers = True
        return world

    # R7, R9, R10: the start.

    def begin(self):
        """What is known at the start, and the group of each process."""
        self.begun, world = [], World(lambda key: ZERO)
        self.initialise("global", self.system.globals, (), None, world)
        self.globals_at_start = self.single_values(world)
        for number, values in enumerate(self.claims.globals):
            demand(world.now["global", number] <= values, 9, f"global {number} begins with something else")
        for proctype, automaton in enumerate(self.system.processes):
            for _ in range(automaton.active):
                pid, parameters = interval(len(self.begun), len(self.begun)), automaton.parameters
                demand(len(self.begun) < self.system.most_processes, 10, "too many processes at the start")
                fits = [number for number, group in enumerate(self.claims.groups) if group.automaton == proctype
                        and pid <= group.pid and all(ZERO <= values for values in group.slots[:parameters])]
                demand(fits, 10, f"a process of {automaton.name} is in no group")
                world = World(lambda key: ZERO, {**self.globals_at_start, ("pid", 0): pid})
                self.initialise("local", automaton.slots, (), fits[0], world)
                self.single_values(world)
                for number, values in enumerate(self.claims.groups[fits[0]].slots):
                    demand(world.now["local", number] <= values, 9, f"local {number} of {automaton.name} begins with something else")
                self.begun.append((fits[0], world))

    def single_values(self, world):
        if any(values.size() != 1 for values in world.now.values()):
            raise NotCovered("an initial value that depends on more than variables")
        return dict(world.now)

    def place_at_start(self):
        self.initial = []
        for group, world in self.begun:
            point = ("at", self.automaton(group).initial)
            self.initial.append((group, {number for shadows in self.beginnings(group) for number, _ in
                                         self.cover_at(group, point, shadows, world, 10, "a process at the start")}))
        self.trackers_at_start = []
        for index, tracker in enumerate(self.claims.trackers):
            there = [number for number, sets in enumerate(tracker.nodes) if all(
                self.globals_at_start["global", slot] <= values for slot, values in zip(tracker.slots, sets))]
            demand(there, 7, f"tracker {index} is in no node at the start")
            self.trackers_at_start.append(there[0])

    def count_at_start(self, group):
        return sum(of == group for of, _ in self.begun)

    # R12 to R14: every statement of every node.

    def find_halves(self):
        self.halves = []
        self.listing = [{key[1] for node in group.nodes for key in node.sets if key[0] == "global"} for group in self.claims.groups]
        for index, group in enumerate(self.claims.groups):
            for number, node in enumerate(group.nodes):
                worlds = [] if self.is_barred(index, number) else [self.world(group, node)]
                for slot in sorted(self.listing[index]):     # where nodes list a slot of a tracker, the two agree
                    worlds = [found for world in worlds for found in self.machine.choose_trackers(("global", slot), world)]
                for world in worlds:
                    for edge, inside, found, effect, target in self.machine.outcomes(self.automaton(index), node.point, world):
                        if effect and effect[0] == "take" and self.is_barred(index, number, effect[1:3]):
                            continue
                        for frame, slot in found.written if target else ():
                            claimed = (group.slots if frame == "local" else self.claims.globals)[slot]
                            demand(found.now[frame, slot] <= claimed, 13, f"{frame} slot {slot} may become {found.now[frame, slot]}")
                        self.halves.append(Half(index, number, edge, inside, found, effect, target))
        self.ending = {half.group for half in self.halves if half.target is None}

    # R15 to R19: transitions.

    def started(self, half):
        """R16: groups in which a `run` may start a process, with what is known of it."""
        _, proctype, arguments = half.effect
        groups = [index for index, group in enumerate(self.claims.groups) if group.automaton == proctype]
        got, rest = deal(arguments, [self.claims.groups[index].slots[:len(arguments)] for index in groups])
        demand(not rest, 16, f"it may start a process with {rest[:1]}, which is in no group")
        found = []
        for index, inside in [(groups[position], inside) for position, inside in got]:
            group = self.claims.groups[index]
            demand(interval(1, self.system.most_processes - 1) <= group.pid, 16, "the pids of what `run` starts")
            world = World(lambda key, group=group: group.pid if key[0] == "pid" else half.world.value_before(key))
            self.initialise("local", self.automaton(index).slots, inside, index, world)
            for number, claimed in enumerate(group.slots):
                demand(world.now["local", number] <= claimed, 16, f"slot {number} of a new process begins with something else")
            found.append((index, world))
        return found

    def find_transitions(self):
        self.tokens = [self.tokens_of(index) for index in range(len(self.claims.groups))]
        self.started_groups, found, accepts = set(), set(), {}
        for half in self.halves:
            if half.effect and half.effect[0] == "accept":
                accepts.setdefault(half.effect[1:], []).append(half)
        for half in self.halves:
            kind = half.effect[0] if half.effect else None
            if kind == "offer":
                for other in accepts.get(half.effect[1:], ()):
                    if half.group != other.group or self.tokens[half.group] == "any":
                        found.update(self.rendezvous(half, other))
            elif kind != "accept":
                found.update(self.single(half))
        self.transitions = list(found)

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
        for shadows in self.shadows_after(half):
            yield from self.cover_at(half.group, half.target, shadows, world, 15,
                                     f"{self.automaton(half.group).name}, edge {half.edge}")

    def single(self, half):
        effect, message, starts = half.effect or (None,), None, {None}
        if effect[0] in ("put", "take"):
            message = (effect[1], effect[2], 1 if effect[0] == "put" else -1)
        if effect[0] == "start":
            starts = set()
            for group, world in self.started(half):
                demand(not any(key[0] == "global" and key[1] in self.listing[group] for key in half.world.written), 19,
                       "it writes a global that the process it starts has tracked")
                self.started_groups.add(group)
                for shadows in self.beginnings(group):
                    point = ("at", self.automaton(group).initial)
                    starts |= {(group, number) for number, _ in self.cover_at(group, point, shadows, world, 16, "a start")}
        ways = [((), half.world)] if half.target is None else \
            [(((("group", half.group), half.node, to),), world) for to, world in self.destinations(half, half.world)]
        for start, (moves, world) in product(starts, ways):
            end = (half.group, half.node) if half.target is None else None
            draft = Transition(half[:4], None, moves, (), message, start, end)
            yield from self.finish(draft, world, [half.group])

    def rendezvous(self, offer, accept):
        """Both see the same globals; what the receiver writes, the sender sees afterwards."""
        sender, receiver = offer.world.copy(), accept.world.copy()
        trackers = {**sender.trackers, **receiver.trackers}
        if any(trackers[index] != node for index, node in sender.trackers.items()):
            return
        sender.trackers = receiver.trackers = trackers
        for key in {key for key in [*sender.now, *receiver.now] if key[0] == "global"}:
            before = offer.world.value_before(key) & accept.world.value_before(key)
            if not before:
                return
            after = accept.world.now[key] if key in accept.world.written else before
            for world in (sender, receiver):
                world.before[key], world.now[key] = before, after
        for to, sender_world in self.destinations(offer, sender):
            for receiver_to, world in self.destinations(accept, receiver):
                if all(sender_world.value(key) & world.value(key) for key in sender_world.now if key[0] == "global"):
                    moves = ((("group", offer.group), offer.node, to), (("group", accept.group), accept.node, receiver_to))
                    draft = Transition(offer[:4], accept[:4], moves, (), None, None, None)
                    yield from self.finish(draft, world, [offer.group, accept.group])

    def finish(self, draft, world, movers):
        """Adds the moves of trackers and of other processes that list what is written."""
        written = {key[1] for key in world.written if key[0] == "global"}
        options, many = [], set()
        for index, node in sorted(world.trackers.items()):
            slots = self.claims.trackers[index].slots
            if written.intersection(slots):
                got, rest = deal([world.value(("global", slot)) for slot in slots], self.claims.trackers[index].nodes)
                demand(not rest, 17, f"tracker {index} has no node for {rest[:1]}")
                options.append([((("tracker", index), node, to),) for to in {to for to, _ in got}])
            elif any(slot in self.listing[group] for slot in slots for group in movers):
                options.append([((("tracker", index), node, node),)])
        for other, listing in enumerate(self.listing):
            tokens = self.tokens[other]
            if listing & written and (other not in movers or tokens == "any"):
                moved, unmoved = self.carried(other, written, world)
                if tokens == "any":
                    many |= moved
                else:
                    options.append([(move,) for move in moved] + [()] * (unmoved or tokens == "at most one"))
        for choice in product(*options):
            yield draft._replace(moves=draft.moves + sum(choice, ()), many=tuple(sorted(many)))

    def carried(self, other, written, world):
        """R18: where processes of another group go that list a slot which is written. Inside a d_step nobody is carried."""
        group, moved, unmoved = self.claims.groups[other], set(), False
        for number, node in enumerate(group.nodes):
            listed = [key for key in node.sets if key[0] == "global"]
            if node.point[0] == "inside" or not written.intersection(slot for _, slot in listed):
                unmoved |= node.point[0] == "at"
                continue
            if not all(world.value_before(key) & node.sets[key] for key in listed):
                continue
            there = self.world(group, node)
            for key in [key for key in world.now if key[0] == "global"]:
                there.now[key] = world.now[key] if key in world.written else world.now[key] & there.value(key)
            if all(there.now.values()):
                moved |= {(("group", other), number, to) for to, _ in self.cover_at(
                    other, node.point, node.shadows, there, 18, f"node {number} of group {other} carried along")}
        return moved, unmoved

    # R8, R20, R21.

    def sizes(self):
        for index, group in enumerate(self.claims.groups):
            proved = any(kind == "starts" and proof.group == index for kind, proof in self.certificate.proofs)
            plain = index not in self.started_groups and self.count_at_start(index) == group.at_most
            demand(group.at_most is None or proved or plain, 21, f"nothing shows how many processes group {index} has")

    def names_end(self):
        mortal = {number for number in range(len(self.claims.objects)) if not self.keeps_messages(number)}
        fields = [values for thing in self.claims.objects for sets in thing.classes for values in sets]
        demand(not any(values.chans & mortal for values in self.claims.globals + fields), 20,
               "a channel of a process that may end is kept in a global variable or sent in a message")

    def can_have_members(self, index, label):
        boxes = [[group.pid] + group.slots[:self.system.processes[group.automaton].parameters]
                 for group in self.claims.groups[:index + 1] if group.automaton == self.claims.groups[index].automaton]
        demand(all(boxes[-1]) and deal(boxes[-1], boxes[:-1])[1], 8, f"{label}: group {index} can have no process")

    def capacity(self, number):
        return self.system.channels[self.claims.objects[number].type][0]

    def channels_of(self, number):
        """How many channels an object stands for, if that is claimed."""
        kind, where = self.claims.objects[number].place
        return 1 if kind == "global" else self.claims.groups[where.group].at_most

    def keeps_messages(self, number):
        """Whether the messages never disappear with the process that owns the channel."""
        kind, where = self.claims.objects[number].place
        return kind == "global" or where.group not in self.ending


def is_new(slot):
    return slot.init is not None and slot.init[0] == "new"


def ascending(numbers):
    return all(a < b for a, b in zip(numbers, numbers[1:]))


def reachable(edges, source):
    seen, stack = {source}, [source]
    while stack:
        fresh = set(edges[stack.pop()]) - seen
        seen |= fresh
        stack += fresh
    return seen
