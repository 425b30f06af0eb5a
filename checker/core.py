#!/usr/bin/env python3
"""A checker of Plimsoll's certificates that is made to be read: small, slow, without packages, and
with nothing in common with the others but the rules.

    plimsoll graph MODEL --format system > system.txt
    plimsoll bounds MODEL --certificate bounds.json
    python3 core.py system.txt bounds.json ...

It covers the core of the format: claims, potentials, bounds, progress; processes that are there or
are started; buffers that are declared outside of processes; variables of which at most a thousand
values are claimed, because it tries them all. To anything else it says "not covered", and check.py
is there for it. R1, R2, ... are the rules of docs/certificates.md.

Exit code: 0 accepted, 1 refused (or a defect of this checker, which then says where), 2 not
readable, 3 not covered; the worst of them for several certificates.
"""
import json
import re
import sys
from collections import Counter, namedtuple
from hashlib import sha256
from operator import add, and_, eq, ge, gt, le, lt, mul, ne, or_, sub, xor
from pathlib import Path

# 1. The ways to say no.


class Refused(Exception):
    """The certificate breaks a rule."""


class NotCovered(Exception):
    """This checker cannot tell."""


class Stop(Exception):
    """This way does not go on: the run ends with an error, or nothing can be like this."""


def demand(holds, rule, what):
    if not holds:
        raise Refused(f"R{rule}: {what}")


def cover(holds, what):
    if not holds:
        raise NotCovered(what)


def stop_unless(holds):
    if not holds:
        raise Stop


# 2. The automata, read from their text form (docs/system-text.md).

Channel = namedtuple("Channel", "object")      # a channel as a value: equal to no number
Any = namedtuple("Any", "least")               # some number, at least this one
Slot = namedtuple("Slot", "type init")
Choice = namedtuple("Choice", "action target dead progress")
RANGES = {"bit": (0, 1), "bool": (0, 1), "byte": (0, 255), "pid": (0, 255),
          "short": (-2**15, 2**15 - 1), "int": (-2**31, 2**31 - 1)}
TOKEN = re.compile(r'[()]|"(?:[^"\\]|\\.)*"|[^\s()"]+')


def parse(line):
    """Nested tuples of words and numbers; texts keep their quotes."""
    stack = [[]]
    for token in TOKEN.findall(line):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = tuple(stack.pop())
            stack[-1].append(done)
        else:
            stack[-1].append(int(token) if re.fullmatch(r"-?\d+", token) else token)
    return stack[0][0]


class Record(dict):
    """A dictionary whose entries are attributes; one that is not there is None."""
    __getattr__ = dict.get


class System:
    def __init__(self, text):
        lines = [line for line in text.split("\n") if line and not line.startswith(";")]
        self.fingerprint = sha256("".join(line + "\n" for line in lines).encode()).hexdigest()
        self.channels, self.globals, self.proctypes, self.provided = [], [], [], []
        slots, self.hidden = self.globals, set()
        for head, *line in map(parse, lines):
            if head == "system":
                cover(line[0] == 1, "another version of the text form")
                self.most_processes = line[2]
            elif head == "channel":
                self.channels.append(Record(capacity=line[2], fields=line[3:]))
            elif head in ("proctype", "claim", "trace", "notrace"):
                slots, choices = [], {}
                if head == "proctype":                       # the others only watch
                    self.proctypes.append(Record(parameters=line[3], active=line[5],
                                                 initial=line[9], slots=slots, choices=choices))
                    self.provided += line[10:]
            elif head == "slot":
                init = next((item for item in line[3:] if item != "hidden"), None)
                if "hidden" in line and slots is self.globals:     # nothing reads it
                    self.hidden.add(("global", len(slots)))
                slots.append(Slot(line[2], init))
            elif head == "location":
                choices[line[0]] = []
            elif head == "edge":
                source, target, action, *marks = line
                dead = [slot for mark in marks if mark[0] == "dead" for slot in mark[1:]]
                target = None if action == ("end",) else target
                choices[source].append(Choice(action, target, dead, "progress" in marks))


# 3. The certificate, as its schema says. What is not in the schema is refused.

SCHEMA = Path(__file__).parent / "../docs/schema/plimsoll-certificate-2.json"
FORMS = json.loads(SCHEMA.read_text(encoding="utf-8"))["$defs"]
TYPES = {"string": str, "integer": int, "array": list, "object": Record, "null": type(None)}


def has_form(form, value):
    form = FORMS[form["$ref"].split("/")[-1]] if "$ref" in form else form
    if "oneOf" in form:
        return any(has_form(kind, value) for kind in form["oneOf"])
    if "type" not in form:
        return value in form.get("enum", [form.get("const")])
    if type(value) is not TYPES[form["type"]]:
        return False
    if isinstance(value, int):
        return form["minimum"] <= value <= form["maximum"]
    if isinstance(value, list):
        return form.get("minItems", 0) <= len(value) <= form.get("maxItems", len(value)) \
            and all(has_form(form["items"], item) for item in value)
    if isinstance(value, Record):
        return set(form["required"]) <= set(value) <= set(form["properties"]) \
            and all(has_form(form["properties"][name], inner) for name, inner in value.items())
    return True


def record(pairs):
    demand(len(dict(pairs)) == len(pairs), 1, "a field is given twice")
    return Record(pairs)


def numbers(low, high):
    cover(high - low < 1000, "a variable with more than a thousand values")
    return frozenset(range(low, high + 1))


def with_sets(value):
    """Sets of values as sets: the one kind of record all of whose fields may be missing."""
    if isinstance(value, list):
        return [with_sets(item) for item in value]
    if not isinstance(value, Record):
        return value
    if not set(value) <= {"integers", "channels"}:
        return Record((name, with_sets(inner)) for name, inner in value.items())
    ends = [end for low, high in value.integers or () for end in (low, high + 1)]
    channels = [Channel(number) for number in value.channels or ()]
    demand(ascending(ends) and ascending(channels), 3, "a set is not in its one form")
    return frozenset(channels).union(*(numbers(*pair) for pair in value.integers or ()))


def kind_of(value):
    """Where there are several kinds: which it is, and its contents."""
    return (value, None) if isinstance(value, str) else next(iter(value.items()))


def ascending(items):
    return all(a < b for a, b in zip(items, items[1:]))


def read_certificates(text):
    """R1, R2: sealed, and at least one."""
    whole = lambda digits: digits != "-0" and int(digits)      # -0 is no way to write 0
    data = json.loads(text, object_pairs_hook=record, parse_int=whole)
    for value in data if isinstance(data, list) and data else [data]:
        demand(has_form(FORMS["certificate"], value), 1, "this does not look like a certificate")
        unsealed = json.dumps({**value, "seal": ""}, separators=(",", ":"), ensure_ascii=False)
        demand(value.seal == sha256(unsealed.encode()).hexdigest(), 1, "the seal does not fit")
        yield with_sets(value)


# 4. What a statement may do: an interpreter that asks `choose` wherever it does not know, and is
# run again and again until every answer to every question has been given.

def divide(a, b):
    """As in C: towards zero. By zero: the run ends."""
    stop_unless(b != 0)
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


COMPARE = {"<": lt, "<=": le, ">": gt, ">=": ge, "==": eq, "!=": ne}
OPERATORS = {**COMPARE, "+": add, "-": sub, "*": mul, "&": and_, "|": or_, "^": xor,
             "/": divide, "%": lambda a, b: a - divide(a, b) * b,
             "<<": lambda a, b: a << (b & 31), ">>": lambda a, b: a >> (b & 31)}
BITS = "full nfull empty nempty poll enabled np_ timeout remote_label".split()
LEAST = {**dict.fromkeys(("len", "_nr_pr", "_last"), 0), **dict.fromkeys(
    ("_priority", "pc_value", "get_priority", "remote_variable"), -2**31)}    # no more is known
ALWAYS = "skip assert printf printm set_priority".split()     # executable, and nothing changes
# The same in other words.
SAME = {"symbol": lambda number, _: number, "!": lambda e: ("cond", e, 0, 1),
        "negate": lambda e: ("-", 0, e), "~": lambda e: ("^", -1, e),
        "&&": lambda a, b: ("cond", a, ("cond", b, 1, 0), 0),
        "||": lambda a, b: ("cond", a, 1, ("cond", b, 1, 0))}


def box(frame, sets):
    """A set for each of some slots of a frame."""
    return {(frame, slot): values for slot, values in sets}


def is_new(slot):
    return slot.init is not None and slot.init[0] == "new"


def near(value, other):
    """Numbers that stand for all that a value may be when it is compared with the other."""
    if isinstance(value, int):
        return [value]
    found = [value.least, 2**31 - 1]
    if isinstance(other, int):
        found += [other - 1, other, other + 1]
    return [number for number in found if value.least <= number < 2**31]


def runs(e):
    """How many processes an action or expression starts if all of it is evaluated."""
    return (e[:1] == ("run",)) + sum(map(runs, e)) if isinstance(e, tuple) else 0


class Machine:
    """One way that something goes. A key is (frame, slot): the frame is "global", or a number that
    stands for a process; its slot "pid" is its number. Of each key a set of values is known."""

    def all_of(self, act, *arguments):
        """The results of a method, once with each sequence of answers."""
        results, self.untried = set(), [[]]
        for _ in range(5_000):
            if not self.untried:
                return results
            self.answers, self.asked = self.untried.pop(), 0
            self.known, self.group_of, self.written, self.takes, self.puts = {}, {}, set(), [], []
            try:
                results.add(act(*arguments))
            except Stop:
                pass
        raise NotCovered("a statement with too many cases")

    def choose(self, options):
        stop_unless(options)
        if self.asked == len(self.answers):
            self.untried += [[*self.answers, other] for other in range(1, len(options))]
            self.answers.append(0)
        self.asked += 1
        return options[self.answers[self.asked - 1]]

    def claimed(self, key):
        frame, slot = key
        group = self.claims if frame == "global" else self.groups[self.group_of[frame]]
        return group.sets[slot]

    def get(self, key):
        return self.known[key] if key in self.known else self.claimed(key)

    def pick(self, key):
        """One of the values of a slot. From then on it is that one."""
        value = self.choose(tuple(self.get(key)))
        self.known[key] = frozenset([value])
        return value

    def fit(self, boxes, rule, what):
        """The first box (a set for each of some keys) that the values are in. There must be one."""
        for name, sets in boxes:
            if all(self.get(key) <= allowed or self.pick(key) in allowed
                   for key, allowed in sets.items()):
                return name
        raise Refused(f"R{rule}: {what}")

    def value(self, e, frame):
        """A number, a channel, or any number."""
        head, *inner = e if isinstance(e, tuple) else (e,)
        if isinstance(e, int):
            return e
        if head in SAME:
            return self.value(SAME[head](*inner), frame)
        if head == "cond":
            return self.value(inner[1] if self.truth(inner[0], frame) else inner[2], frame)
        if head in ("global", "local", "_pid"):
            return self.pick((frame, "pid") if head == "_pid" else self.place(e, frame))
        if head in LEAST:
            return Any(LEAST[head])
        if head in BITS:
            return self.choose((0, 1))
        operate = OPERATORS[head]
        x, y = self.value(inner[0], frame), self.value(inner[1], frame)
        cover(not isinstance(x, Channel) and not isinstance(y, Channel), "channels in expressions")
        if isinstance(x, Any) or isinstance(y, Any):
            cover(head in COMPARE, "arithmetic with any number")
            return self.choose(sorted({int(operate(a, b)) for a in near(x, y) for b in near(y, x)}))
        return (int(operate(x, y)) + 2**31) % 2**32 - 2**31

    def truth(self, e, frame):
        value = self.value(e, frame)
        return self.choose((False, True)) if isinstance(value, Any) else value != 0

    def place(self, place, frame):
        """The key of one of the slots that the place may be. Outside of an array: the run ends."""
        slot = place[2]
        for _, index, length, stride in place[4:]:
            value = self.value(index, frame)
            cover(isinstance(value, int), "an index that is a channel, or any number")
            stop_unless(0 <= value < length)
            slot += stride * value
        return ("global" if place[0] == "global" else frame, slot)

    def buffer(self, place, frame):
        """The object that a place of type chan denotes; if it is none, the run ends."""
        value = self.value(place, frame)
        stop_unless(value != 0)
        return value.object

    def cut(self, type_, value):
        """What a variable or field of the type may hold when the value is stored."""
        if type_ == "chan":
            return {value}                # a number other than 0 is claimed of no channel (R4)
        cover(not isinstance(value, Channel), "a channel as a number")
        low, high = RANGES.get(type_) or (0, 255 if type_[0] == "mtype" else 2**type_[1] - 1)
        if isinstance(value, Any):
            return numbers(low, high)
        return {(value - low) % (high - low + 1) + low}

    def store(self, place, values, frame):
        key = self.place(place, frame)
        if key not in self.system.hidden:
            self.written.add(key)
            self.known[key] = frozenset().union(*(self.cut(place[3], value) for value in values))

    def is_executable(self, action, frame):
        """Whether it is sure to be executable; of sends and receives that is never sure."""
        if action[0] == "when" and not runs(action):
            return self.truth(action[1], frame)
        return action[0] in ALWAYS or action[0] == "assign"

    def execute(self, action, before, frame):
        head, *rest = action
        whole = head in ("when", "assign") and isinstance(rest[-1], tuple) and rest[-1][0] == "run"
        demand(runs(action) == whole, 12, "`run` inside of something else starts a process")
        if head == "else":
            stop_unless(not any(self.is_executable(one, frame) for one in before))
        elif whole:
            self.start(rest[-1][1], rest[-1][3:], frame)
            if head == "assign":
                self.store(rest[0], range(1, self.system.most_processes), frame)
        elif head == "when":
            stop_unless(self.truth(rest[0], frame))
        elif head == "assign":
            self.store(rest[0], [self.value(rest[1], frame)], frame)
        elif head == "send":
            self.send(self.buffer(rest[0], frame), rest[2:], frame)
        elif head == "receive":
            self.receive(self.buffer(rest[0], frame), rest[2], rest[3:], frame)
        else:
            cover(head in ALWAYS or head == "end", f"`{head}`")

    def send(self, number, arguments, frame):
        """R14: the message is in a class."""
        thing = self.objects[number]
        demand(len(arguments) == len(thing.fields), 12, "not as many fields as the channel has")
        for at, (field, e) in enumerate(zip(thing.fields, arguments)):
            self.known["message", at] = self.cut(field, self.value(e, frame))
        boxes = enumerate(box("message", enumerate(sets)) for sets in thing.classes)
        class_ = self.fit(boxes, 14, f"a message to {number} is in no class")
        self.puts.append((("object", number), class_))

    def receive(self, number, take, arguments, frame):
        """A message of some class; who only copies may name fewer fields."""
        thing = self.objects[number]
        missing = len(thing.fields) - len(arguments)
        demand(missing == 0 or take == "copy" and missing > 0, 12, "not as many fields")
        class_ = self.choose(range(len(thing.classes)))
        self.takes += [(("object", number), class_)] if take == "take" else []
        message = list(thing.classes[class_])
        for at, (kind, *what) in enumerate(arguments):      # all are matched before one is stored
            value = self.value(what[0], frame) if kind == "match" else None
            if value is not None:
                alike = isinstance(value, Channel) == (thing.fields[at] == "chan") or value == 0
                cover(alike and not isinstance(value, Any), "a channel is compared with a number")
                message[at] &= {value}
            stop_unless(message[at])
        for values, (kind, *what) in zip(message, arguments):
            if kind == "store":
                self.store(what[0], values, frame)


# 5. The claims: do they hold at the start, and does every statement keep them? What may happen is a
# Petri net. A token is a process (("group", n), node) or a message (("object", n), class); a
# transition takes some tokens away and puts others.

Transition = namedtuple("Transition", "takes puts is_progress")


class Checker(Machine):
    def __init__(self, system, certificate):
        self.system, self.claims = system, certificate.claims
        self.groups, self.objects = self.claims.groups, self.claims.objects
        self.proofs = [kind_of(proof) for proof in certificate.proofs]
        self.declared = certificate.capacities == "declared"
        beyond = [self.claims.trackers, self.claims.auxiliaries, self.claims.bars, self.claims.numbers,
                  certificate.any_number, runs(tuple(system.provided))]
        cover(not any(beyond), "trackers, shadows, bars, numbers, any number of processes, odd `provided`")
        self.well_formed()
        demand(self.proofs, 2, "the certificate proves nothing")
        self.beginnings = self.all_of(self.begin)
        demand(self.beginnings, 10, "an initial value is an error")
        self.transitions = set()
        for index, group in enumerate(self.groups):
            for node, at in enumerate(group.nodes):
                for number in range(len(at.choices)):
                    self.transitions |= self.all_of(self.step, index, node, number)
        self.limits()
        for index, (kind, proof) in enumerate(self.proofs):
            cover(hasattr(self, "prove_" + kind), f"proofs of the kind {kind}")
            getattr(self, "prove_" + kind)(f"proof {index}", proof)

    def well_formed(self):
        """R3 to R6: what is named exists, is in its one form, and has one type."""
        system, self.object_at = self.system, {}
        for number, thing in enumerate(self.objects):
            kind, where = kind_of(thing.place)
            cover(kind == "global", "channels of processes")
            self.object_at[where.slot], slot = number, system.globals[where.slot]
            demand(is_new(slot), 3, "an object where no channel is created")
            thing.update(system.channels[slot.init[1]])
            cover(thing.capacity, "a rendezvous")
            for sets in thing.classes:
                self.typed(sets, thing.fields, 6)
                demand(all(sets), 3, "a message class is empty")
        one_each = len(self.objects) == len(self.object_at) == sum(map(is_new, system.globals))
        demand(one_each, 5, "a channel has no object, or two")
        self.typed(self.claims.globals, [slot.type for slot in system.globals])
        self.claims.sets = self.claims.globals
        for group in self.groups:
            proctype = system.proctypes[group.automaton]
            cover(not any(map(is_new, proctype.slots)), "channels of processes")
            self.typed([group.pid, *group.slots], ["pid", *(slot.type for slot in proctype.slots)])
            group.sets = {"pid": group.pid, **dict(enumerate(group.slots))}
            for node in group.nodes:
                kind, node.at = kind_of(node.point)
                cover(kind == "at" and not node.globals, "`d_step`, nodes that know of globals")
                demand(not node.shadows, 3, "a node has positions of shadows")
                node.choices = proctype.choices[node.at]
                node.sets = {one.slot: one["values"] for one in node.locals or ()}
                fits = ascending([one.slot for one in node.locals or ()]) and all(
                    values and values <= group.slots[slot] for slot, values in node.sets.items())
                demand(fits, 3, "a node lists slots out of order, or values that are not claimed")
            different = {(node.at, *node.sets.items()) for node in group.nodes}
            demand(len(different) == len(group.nodes), 3, "a node is there twice")

    def typed(self, sets, types, rule=3):
        demand(len(sets) == len(types), rule, "not as many sets as there are slots or fields")
        for values, type_ in zip(sets, types):
            for value in values:
                is_channel = isinstance(value, Channel)
                demand(not is_channel or value.object < len(self.objects), 3, "no such channel")
                right = (is_channel or value == 0) if type_ == "chan" else not is_channel
                demand(right, 4, "numbers where channels are, or the other way round")

    def settle(self, frame, location, rule):
        """The node in which the process stands now."""
        group = self.group_of[frame]
        boxes = [((("group", group), number), box(frame, node.sets.items()))
                 for number, node in enumerate(self.groups[group].nodes) if node.at == location]
        return self.fit(boxes, rule, f"a process of group {group} is at {location}, in no node")

    def initialise(self, frame, slots, rule):
        """Gives the slots of a new frame their first values, in order; arguments are there."""
        for key, slot in [((frame, number), slot) for number, slot in enumerate(slots)]:
            if is_new(slot):
                self.known[key] = {Channel(self.object_at[key[1]])}
            elif slot.init:
                self.known[key] = self.cut(slot.type, self.value(slot.init[1], frame))
            demand(self.known[key] <= self.claimed(key), rule, f"{key} is {self.known[key]}")

    def begin(self):
        """R9, R10: where each process stands at the start."""
        self.known.update({("global", number): {0} for number in range(len(self.system.globals))})
        self.initialise("global", self.system.globals, 9)
        for proctype, automaton in enumerate(self.system.proctypes):
            for frame in range(len(self.puts), len(self.puts) + automaton.active):
                self.known[frame, "pid"] = {frame}
                self.stand(frame, proctype, [], 10)
        return tuple(self.puts)

    def start(self, proctype, arguments, frame):
        """R16: the new process has a group for its arguments, and a node."""
        slots = self.system.proctypes[proctype].slots
        values = [self.cut(slot.type, self.value(e, frame)) for slot, e in zip(slots, arguments)]
        self.stand("new", proctype, values, 16)
        pids = self.groups[self.group_of["new"]].pid
        demand(pids.issuperset(range(1, self.system.most_processes)), 16, "the pids of who starts")

    def stand(self, frame, proctype, arguments, rule):
        """The group and the node of a process that starts: the first group that it fits."""
        automaton = self.system.proctypes[proctype]
        values = [*arguments, *[{0}] * (len(automaton.slots) - len(arguments))]
        self.known.update(box(frame, enumerate(values)))
        groups = [(index, self.members(index, frame, rule == 10))
                  for index, group in enumerate(self.groups) if group.automaton == proctype]
        self.group_of[frame] = self.fit(groups, rule, "a process that starts is in no group")
        self.initialise(frame, automaton.slots, 9 if rule == 10 else rule)
        self.puts.append(self.settle(frame, automaton.initial, rule))

    def members(self, index, frame, with_pid=True):
        """What a process must be like when it starts to belong to the group."""
        group = self.groups[index]
        slots = [*range(self.system.proctypes[group.automaton].parameters), *["pid"] * with_pid]
        return box(frame, [(slot, group.sets[slot]) for slot in slots])

    def step(self, group, node, number):
        """R12 to R16: a statement of a process of the group in the node."""
        at, self.group_of[0] = self.groups[group].nodes[node], group
        self.known.update(box(0, at.sets.items()))
        choice = at.choices[number]
        self.execute(choice.action, [one.action for one in at.choices[:number]], 0)
        takes, puts = [(("group", group), node), *self.takes], self.puts
        if choice.target is not None:
            self.known.update(box(0, [(slot, {0}) for slot in choice.dead]))
            for key in self.written.union((0, slot) for slot in choice.dead):
                demand(self.known[key] <= self.claimed(key), 13, f"{key} becomes {self.known[key]}")
            puts = [self.settle(0, choice.target, 15), *puts]
        return Transition(tuple(takes), tuple(puts), choice.progress)

    def limits(self):
        """R21: how many processes a group has."""
        proved = [proof.group for kind, proof in self.proofs if kind == "starts"]
        for index, group in enumerate(self.groups):
            members = self.members_of(index)
            group.at_start = sum(members[token] for token in min(self.beginnings))
            starts = any(change(members, one) > 0 for one in self.transitions)
            plain = not starts and group.at_start == group.at_most
            demand(group.at_most is None or index in proved or plain, 21, f"size of group {index}")

    def members_of(self, index):
        """The potential that counts the processes of a group."""
        return Counter((("group", index), node) for node in range(len(self.groups[index].nodes)))

    def joins(self, index):
        """The group to which a process with the sets of a group belongs: R8, if it is another."""
        self.known = self.members(index, 0)
        stop_unless(all(self.known.values()))
        return self.fit([(other, self.members(other, 0)) for other in range(index + 1)
                         if self.groups[other].automaton == self.groups[index].automaton], 8, index)

    # 6. The proofs: does each follow from the transitions? A potential: tokens and their weights.

    def weights(self, label, potential):
        """R3."""
        rows = [((("group", row.group), row.node), row.weight) for row in potential.nodes]
        rows += [((("object", row.object), row["class"]), row.weight) for row in potential.messages]
        parts = {"object": [thing.classes for thing in self.objects],
                 "group": [group.nodes for group in self.groups]}
        unknown = potential.trackers or potential.numbers
        right = not unknown and ascending([token for token, _ in rows]) and all(
            weight != 0 and which < len(parts[kind][number])
            for ((kind, number), which), weight in rows)
        demand(right, 3, f"{label}: weights are not in order, or of nothing")
        return Counter(dict(rows))

    def most(self, label, weights, counts=lambda transition: 0):
        """R28, R29: what the potential is at the start and never exceeds. What messages of other
        buffers may take off is added: as many as there is room for."""
        room = {}
        for ((kind, number), _), weight in weights.items():
            if weight < 0:
                demand(kind == "object" and self.declared, 28, f"{label}: a weight is negative")
                room[number] = max(room.get(number, 0), -weight * self.objects[number].capacity)
        for transition in self.transitions:
            grows = change(weights, transition) + counts(transition) > 0
            demand(not grows, 29, f"{label}: {transition} makes the potential grow")
        at_start = max(sum(weights[token] for token in tokens) for tokens in self.beginnings)
        return at_start + sum(room.values())

    def classes(self, number):
        return [(("object", number), class_) for class_ in range(len(self.objects[number].classes))]

    def prove_bound(self, label, proof):
        """R30 to R32, for all moments; without a potential it is the declared capacity."""
        shown = self.objects[proof.object].capacity
        cover(not any(case.after for case in proof.cases), "cases for moments after a send")
        demand(len(proof.cases) == 1 or self.declared and not proof.cases, 32, f"{label}: cases")
        for case in proof.cases:
            weights = self.weights(label, case.potential)
            heavy = all(weights[token] >= case.denominator for token in self.classes(proof.object))
            demand(heavy and case.denominator >= 1, 30, f"{label}: a message weighs too little")
            shown = max(self.most(label, weights) // case.denominator, 0)
        demand(shown == proof.at_most, 31, f"{label}: what is shown is {shown}")

    def prove_bounds(self, label, proof):
        """R30, R31: each buffer by its lightest message."""
        in_order = proof.buffers and ascending([one.object for one in proof.buffers])
        demand(in_order, 3, f"{label}: no buffer (R2), or not in order")
        weights = self.weights(label, proof.potential)
        most = self.most(label, weights)
        for one in proof.buffers:
            least = min([weights[token] for token in self.classes(one.object)], default=most + 1)
            demand(least >= 1, 30, f"{label}: a message weighs too little")
            demand(most // least == one.at_most, 31, f"{label}: what is shown is {most // least}")

    def prove_starts(self, label, proof):
        """R8, R21, R30, R31: how many processes of a group are ever started."""
        group, members = self.groups[proof.group], self.members_of(proof.group)
        demand(group.at_most == proof.at_most, 21, f"{label}: proof and claim differ")
        demand(proof.group in self.all_of(self.joins, proof.group), 8, f"{label}: of nobody")
        demand(proof.denominator >= 1, 30, f"{label}: a start weighs nothing")
        most = self.most(label, self.weights(label, proof.potential), counts=lambda transition:
                         proof.denominator * max(0, change(members, transition)))
        shown = group.at_start + most // proof.denominator
        demand(shown == proof.at_most, 31, f"{label}: what is shown is {shown}")

    def prove_all_bounded(self, label, proof):
        """R37: every message of every buffer is settled, or has a bound by another proof."""
        _, settled = self.stage(label, proof.stage, self.transitions)
        tokens = {token for number in range(len(self.objects)) for token in self.classes(number)}
        demand(self.declared or tokens <= settled, 37, f"{label}: some messages may pile up")

    def prove_livelock_free(self, label, proof):
        """R37: without progress nothing goes on for ever."""
        cover(proof.progress == "labels", "statements of progress that have no label")
        silent = [transition for transition in self.transitions if not transition.is_progress]
        left, _ = self.stage(label, proof.stage, silent)
        demand(not left, 37, f"{label}: {left[:1]} may go on for ever")

    def stage(self, label, stage, allowed):
        """R35, R36: the transitions that do not make the potential smaller, and what is settled."""
        settled = {token for _, proof in self.proofs for one in proof.buffers or [proof]
                   if one.object is not None for token in self.classes(one.object)}
        weights = self.weights(label, stage.potential)
        for token, weight in weights.items():
            kind, number = token[0]
            free = token in settled or self.declared if kind == "object" \
                else self.groups[number].at_most is not None
            demand(weight > 0 or free, 35, f"{label}: {token} has a negative weight")
        changes = [(change(weights, transition), transition) for transition in allowed]
        demand(all(more <= 0 for more, _ in changes), 36, f"{label}: a transition makes it grow")
        cover("split" not in stage.next, "trees of potentials")
        demand(stage.next == "closed", 41, f"{label}: nobody is obliged to be fair")
        settled |= {token for token, weight in weights.items() if weight > 0}
        return [transition for more, transition in changes if more == 0], settled


def change(weights, transition):
    """By how much a transition changes a potential."""
    return sum(weights[token] for token in transition.puts) \
        - sum(weights[token] for token in transition.takes)


# 7. The answer.


def judge(automata, path):
    """The exit code for one file, and why."""
    try:
        system = System(Path(automata).read_text(encoding="utf-8"))
        for certificate in read_certificates(Path(path).read_text(encoding="utf-8")):
            demand(certificate.model == system.fingerprint, 1, "it is for another model")
            Checker(system, certificate)
        return 0, "accepted"
    except Refused as refused:
        return 1, f"refused: {refused}"
    except (IndexError, KeyError) as error:
        return 1, f"refused: R3: what is named does not exist: {error}"
    except (NotCovered, RecursionError) as what:
        return 3, f"not covered: {what}"
    except (OSError, ValueError) as error:
        return 2, f"error: {error}"


def main(automata, *paths):
    answers = [judge(automata, path) for path in paths]
    for path, (_, words) in zip(paths, answers):
        print(f"{path}: {words}")
    return max((code for code, _ in answers), key=[0, 3, 1, 2].index)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) > 2 else __doc__)
