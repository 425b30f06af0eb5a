"""The claims: do they hold at the start, and does every statement keep them?

Whatever may happen is a `Transition`: an actor (group, node, edge, inside) and perhaps its partner
in a rendezvous; moves (component, from, to) of one process each; `many`: a move that any number of
processes make at the same time; a message (object, class, 1 or -1) more or less; who starts or ends
(group, node).
"""
from collections import namedtuple

from machine import Machine, cuts_of
from system import runs
from ways import INTEGERS, ZERO, NotCovered, Set, channel, demand, interval, stop_unless

Transition = namedtuple("Transition", "actor partner moves many message start end")


class Checker(Machine):
    def __init__(self, system, certificate, single):
        self.system, self.certificate, self.single = system, certificate, single
        self.claims = certificate.claims
        self.groups, self.objects = self.claims.groups, self.claims.objects
        if getattr(certificate, "any_number", None):
            raise NotCovered("any number of processes at the start")
        if self.claims.numbers:
            raise NotCovered("numbers (R46 to R48)")
        self.covers()
        self.well_formed()
        demand(certificate.proofs, 2, "the certificate proves nothing")
        demand(not runs(system.provided), 12, "a `provided` clause starts a process")
        self.prepare()
        self.beginnings = self.all_of(self.begin)
        demand(self.beginnings, 10, "an initial value is an error")
        at_start = [component for component, _ in min(self.beginnings)]
        self.at_start = [at_start.count(("group", n)) for n in range(len(self.groups))]
        self.find_transitions()
        self.sizes()
        self.names_end()

    # What is beyond the core.

    def covers(self):
        listing = [node for group in self.groups for node in group.nodes if node.globals]
        if self.claims.trackers or self.claims.auxiliaries or self.claims.bars or listing:
            raise NotCovered("trackers, shadows, bars, and nodes that know of global variables")

    def prepare(self):
        pass

    def shadows_at_start(self, _group):
        return ()

    def shadows_after(self, _frame, _node):
        return ()

    def is_barred(self, _group, _node):
        return False

    def others_move(self):
        return None

    # R3 to R6: what is named exists, is in its one form, and has one type.

    def well_formed(self):
        claims, system = self.claims, self.system
        self.typed(claims.globals, [slot.type for slot in system.globals], "the globals")
        frames = {("global", None): system.globals}
        for index, group in enumerate(claims.groups):
            demand(group.automaton < len(system.processes), 3, f"group {index} is of no proctype")
            frames["local", index] = slots = system.processes[group.automaton].slots
            types = ["pid", *(slot.type for slot in slots)]
            self.typed([group.pid, *group.slots], types, f"group {index}")
            self.nodes_fit(group, group.nodes, len(group.shadows))
            names = {(node.point, node.shadows, *node.sets.items()) for node in group.nodes}
            demand(len(names) == len(group.nodes), 3, f"group {index} has a node twice")
        created = {(*frame, number): slot.init[1] for frame, slots in frames.items()
                   for number, slot in enumerate(slots) if is_new(slot)}
        self.object_at = {}
        for number, thing in enumerate(claims.objects):
            kind, where = thing.place
            place = (kind, getattr(where, "group", None), where.slot)
            demand(place in created, 3, "an object is at a place where no channel is created")
            demand(place not in self.object_at, 5, "a channel has two objects")
            self.object_at[place], thing.type = number, created[place]
            thing.boxes = []
            for sets in thing.classes:
                self.typed(sets, system.channels[thing.type][1], "a message class", 6)
                demand(all(sets), 3, "a message class is empty")
                thing.boxes.append({("message", at): values for at, values in enumerate(sets)})
        demand(len(self.object_at) == len(created), 5, "a channel has no object")

    def typed(self, sets, types, what, rule=3):
        demand(len(sets) == len(types), rule, f"{what}: not as many sets as there are slots")
        for values, type_ in zip(sets, types):
            exist = self.channels_where(lambda number: True)
            demand(values - INTEGERS <= exist, 3, f"{what}: no such channel")
            right = values & INTEGERS <= ZERO if type_ == "chan" else values <= INTEGERS
            demand(right, 4, f"{what}: numbers where channels are, or the other way round")

    def channels_where(self, condition):
        return Set(one for number in range(len(self.objects)) if condition(number)
                   for one in channel(number))

    def nodes_fit(self, group, nodes, shadows):
        for node in nodes:
            kind, where = node.point
            node.point = (kind, where if kind == "at" else (where.edge, where.step))
            exists = node.point in self.system.processes[group.automaton].points
            demand(exists, 3, "a node is at a point that does not exist")
            node.shadows, node.sets, node.boxes = tuple(node.shadows), {}, {}
            demand(len(node.shadows) == shadows, 3, "another number of shadows than its group has")
            for frame, listed, claimed in (("local", node.locals, group.slots),
                                           ("global", node.globals, self.claims.globals)):
                fits = ascending([entry.slot for entry in listed]) and all(
                    one.slot < len(claimed) and one.values and one.values <= claimed[one.slot]
                    for one in listed)
                demand(fits, 3, "a node lists slots out of order, or values that are not claimed")
                node.sets.update({(frame, entry.slot): entry.values for entry in listed})

    # Processes in nodes.

    def automaton(self, group):
        return self.system.processes[self.groups[group].automaton]

    def enter(self, frame, group, node):
        """A process of the group stood in the node when the statement began."""
        self.who[frame] = group
        for key, values in box(node, frame).items():
            if key in self.old:
                stop_unless(self.old[key] & values)
            else:
                self.narrow(key, values)

    def settle(self, frame, point, shadows, rule, what):
        """The node in which the process stands now."""
        nodes = enumerate(self.groups[self.who[frame]].nodes)
        return self.fit(((number, box(node, frame)) for number, node in nodes
                         if node.point == point and node.shadows == shadows), rule, what)

    def initialise(self, frame, slots, rule):
        """Gives the slots of a new frame their first values, in order; arguments are there."""
        for number in range(len(slots)):
            self.known.setdefault((frame, number), ZERO)
        for number, slot in enumerate(slots):
            if is_new(slot):
                place = ("global", None) if frame == "global" else ("local", self.who[frame])
                self.known[frame, number] = channel(self.object_at[(*place, number)])
            elif slot.init:
                demand(not runs(slot.init), 12, "an initial value starts a process")
                value = Set([self.value(slot.init[1], frame)])
                self.known[frame, number] = self.cut(slot.type, value)
            right = self.known[frame, number] <= self.claimed((frame, number))
            demand(right, rule, f"slot {number} begins with something else")

    def begin(self):
        """R9, R10: where each process stands at the start."""
        self.reset((0, 1))
        self.initialise("global", self.system.globals, 9)
        found = []
        for proctype, automaton in enumerate(self.system.processes):
            for frame in range(len(found), len(found) + automaton.active):
                demand(frame < self.system.most_processes, 10, "too many processes at the start")
                self.known[frame, "pid"] = interval(frame, frame)
                self.known.update({(frame, number): ZERO for number in range(automaton.parameters)})
                found.append(self.stand(frame, proctype, self.members, 10, 9))
        return tuple(found)

    def members(self, index, frame):
        """What a process must be like when it starts to belong to the group."""
        return {(frame, "pid"): self.groups[index].pid, **self.arguments(index, frame)}

    def arguments(self, index, frame):
        parameters = range(self.automaton(index).parameters)
        return {(frame, number): self.groups[index].slots[number] for number in parameters}

    def stand(self, frame, proctype, sets, rule, initial_rule):
        """The group and the node of a process that starts: the first group whose sets it fits."""
        groups = [(index, sets(index, frame)) for index, group in enumerate(self.groups)
                  if group.automaton == proctype]
        self.who[frame] = group = self.fit(groups, rule, "a process that starts is in no group")
        automaton = self.automaton(group)
        self.initialise(frame, automaton.slots, initial_rule)
        what = f"a new process of {automaton.name} is in no node"
        shadows = self.shadows_at_start(group)
        return ("group", group), self.settle(frame, automaton.initial, shadows, rule, what)

    # R12 to R16: every statement of every node.

    def statements(self):
        for index, group in enumerate(self.groups):
            for number, node in enumerate(group.nodes):
                choices = self.automaton(index).points[node.point]
                self.cuts = cuts_of(choices)
                for choice in [] if self.is_barred(index, number) else choices:
                    yield index, number, choice

    def find_transitions(self):
        self.tokens = [self.tokens_of(index) for index in range(len(self.groups))]
        self.transitions, self.receivers = set(), {}
        for index, number, choice in self.statements():
            if choice.action[0] == "receive":
                for found in self.all_of(lambda: self.listens(index, number, choice)):
                    self.receivers.setdefault(found, []).append((index, number, choice))
        for index, number, choice in self.statements():
            self.transitions |= self.all_of(lambda: self.step(index, number, choice))

    def listens(self, index, number, choice):
        self.reset(self.cuts)
        self.come(0, index, number)
        return self.channel(choice.action[1], 0)

    def come(self, frame, index, number):
        self.enter(frame, index, self.groups[index].nodes[number])

    def step(self, index, number, choice):
        self.reset(self.cuts)
        self.come(0, index, number)
        if choice.target:
            self.execute(choice, 0)
            self.keep_claims(0, choice)
            stop_unless(not self.waits)         # a rendezvous happens when somebody sends
            self.leave(0, number, choice)
        partner = None
        if self.partner:
            group, node, reception = self.partner
            self.keep_claims(1, reception)
            self.leave(1, node, reception)
            partner = (group, node, reception.edge, reception.inside)
        many, actor = self.others_move(), (index, number, choice.edge, choice.inside)
        end = None if choice.target else (("group", index), number)
        return Transition(actor, partner, (*self.moves,), many, self.message, self.started, end)

    def keep_claims(self, frame, choice):
        """R13."""
        for slot in choice.dead:
            self.write((frame, slot), ZERO)
        for key in self.old:
            right = key[0] not in (frame, "global") or self.known[key] <= self.claimed(key)
            demand(right, 13, f"slot {key[1]} may become {self.known[key]}")

    def leave(self, frame, number, choice):
        """R15."""
        group, shadows = self.who[frame], self.shadows_after(frame, number)
        what = f"{self.automaton(group).name}, edge {choice.edge} leads to no node"
        to = self.settle(frame, choice.target, shadows, 15, what)
        self.moves.append((("group", group), number, to))

    def meet(self, number, class_):
        """Somebody else receives a message of the class by rendezvous."""
        self.partner = self.choose([one for one in self.receivers.get(number, ())
                                    if one[0] != self.who[0] or self.tokens[one[0]] == "any"])
        group, node, choice = self.partner
        self.come(1, group, node)
        stop_unless(self.channel(choice.action[1], 1) == number)
        self.receive(number, class_, *choice.action[3:], frame=1)

    def start(self, proctype, arguments, frame):
        """R16: the new process has a group for its arguments, and a node."""
        slots = self.system.processes[proctype].slots
        values = [Set([self.value(e, frame)]) for e in arguments]
        self.known.update({(2, number): self.cut(slot.type, value)
                           for number, (slot, value) in enumerate(zip(slots, values))})
        self.started = self.stand(2, proctype, self.arguments, 16, 16)
        pids = interval(1, self.system.most_processes - 1)
        demand(pids <= self.groups[self.who[2]].pid, 16, "the pids of what `run` starts")

    def tokens_of(self, index):
        """How many processes of a group there are: exactly one, at most one, any number."""
        group = self.groups[index]
        if group.at_most != 1:
            return "any"
        ends = any(choice.target is None for node in group.nodes
                   for choice in self.automaton(index).points[node.point])
        return "one" if self.at_start[index] == 1 and not ends else "at most one"

    # R8, R20, R21.

    def sizes(self):
        started = {transition.start[0][1] for transition in self.transitions if transition.start}
        proved = {proof.group for kind, proof in self.certificate.proofs if kind == "starts"}
        for index, group in enumerate(self.groups):
            plain = index not in started and self.at_start[index] == group.at_most
            shown = group.at_most is None or index in proved or plain
            demand(shown, 21, f"nothing shows how many processes group {index} has")

    def names_end(self):
        self.ending = {transition.end[0][1] for transition in self.transitions if transition.end}
        mortal = self.channels_where(lambda number: not self.keeps_messages(number))
        fields = [values for thing in self.objects for sets in thing.classes for values in sets]
        demand(not any(values & mortal for values in self.claims.globals + fields), 20,
               "a channel of a process that may end is in a global variable or in a message")

    def can_have_members(self, index, label):
        """R8: earlier groups of the proctype leave something to the group."""
        def is_left():
            self.reset(())
            self.known.update(self.members(index, 0))
            stop_unless(all(self.known.values()))
            for other in range(index):
                if self.groups[other].automaton == self.groups[index].automaton:
                    members = self.members(other, 0).items()
                    stop_unless(not all(self.lies_in(*one) for one in members))
            return True
        demand(self.all_of(is_left), 8, f"{label}: group {index} can have no process")

    def capacity(self, number):
        return self.system.channels[self.objects[number].type][0]

    def channels_of(self, number):
        """How many channels an object stands for, if that is claimed."""
        kind, where = self.objects[number].place
        return 1 if kind == "global" else self.groups[where.group].at_most

    def keeps_messages(self, number):
        """Whether the messages never disappear with the process that owns the channel."""
        kind, where = self.objects[number].place
        return kind == "global" or where.group not in self.ending


def box(node, frame):
    """The sets of a node, as those of the process with this frame."""
    if frame not in node.boxes:
        node.boxes[frame] = {(frame if of == "local" else of, slot): values
                             for (of, slot), values in node.sets.items()}
    return node.boxes[frame]


def is_new(slot):
    return slot.init is not None and slot.init[0] == "new"


def ascending(numbers):
    return all(a < b for a, b in zip(numbers, numbers[1:]))
