"""Statements, executed on worlds.

A *world* is what an interpreter would know if a variable had a set of values. Whenever a value is asked for, the world
splits into one world for each value (or for each interval, where there are too many), so that whatever depends on the
same variable later sees the same value. A run that meets an error (a division by zero, an index out of range, no channel)
ends there: such a world has no successor.
"""
from operator import eq, ge, gt, le, lt, ne

from sets import MAX, MIN, NOTHING, ZERO, NotCovered, Refused, Set, deal, demand, interval, pieces
from system import contains_run, parts_of, type_range

MOST_WORLDS = 500_000      # for the statements of one node; more is not covered
COMPARE = {"<": lt, "<=": le, ">": gt, ">=": ge, "==": eq, "!=": ne}
OPERATORS = set(COMPARE) | set("+ - * / % & | ^ << >>".split())
ALWAYS = ("skip", "else", "assert", "printf", "printm", "set_priority")    # executable, and nothing changes
UNKNOWN = {"full": (0, 1), "nfull": (0, 1), "poll": (0, 1), "enabled": (0, 1), "remote_label": (0, 1), "np_": (0, 1),
           "timeout": (0, 1), "empty": (0, 1), "nempty": (0, 1), "len": (0, MAX), "_nr_pr": (0, MAX), "_last": (0, MAX),
           "pc_value": (MIN, MAX), "get_priority": (MIN, MAX), "_priority": (MIN, MAX), "remote_variable": (MIN, MAX)}


class World:
    """`base` says what is known at the beginning, `before` what has been found out about it since, `now` what holds at this
    moment. A slot is ("local", n) or ("global", n); ("pid", 0) is the number of the process."""
    __slots__ = "base before now written trackers".split()

    def __init__(self, base, now=()):
        self.base, self.before, self.now, self.written, self.trackers = base, {}, dict(now), frozenset(), {}

    def copy(self):
        world = World(self.base, self.now)
        world.before, world.written, world.trackers = dict(self.before), self.written, self.trackers
        return world

    def value(self, key):
        return self.now[key] if key in self.now else self.base(key)

    def value_before(self, key):
        return self.before[key] if key in self.before else self.base(key)

    def knowing(self, key, values):
        """The world in which the slot has one of these values (a subset of what it may have)."""
        world = self.copy()
        world.now[key] = values
        if key not in self.written:
            world.before[key] = values
        return world

    def write(self, key, values):
        world = self.copy()
        world.now[key], world.written = values, self.written | {key}
        return world


def wrap(number):
    return (number - MIN) % 2**32 + MIN


def exact(operator, a, b):
    """Two 32-bit integers as C computes with them; None is a division by zero."""
    if operator in ("/", "%"):
        if b == 0:
            return None
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return wrap(quotient) if operator == "/" else a - quotient * b
    if operator in COMPARE:
        return int(COMPARE[operator](a, b))
    return wrap({"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b,
                 "<<": a << (b & 31), ">>": a >> (b & 31)}[operator])


def over_intervals(operator, x, y):
    """An interval that contains all results; None if there is none."""
    (a, b), (c, d) = x, y
    if a == b and c == d:
        result = exact(operator, a, c)
        return None if result is None else (result, result)
    if operator in COMPARE:
        results = {COMPARE[operator](p, q) for p in x for q in y}
        if operator in ("==", "!=") and a <= d and c <= b:    # they meet, and one of them has two values
            results = {True, False}
        return int(min(results)), int(max(results))
    if operator in ("+", "-", "*"):
        results = [{"+": p + q, "-": p - q, "*": p * q}[operator] for p in x for q in y]
        if MIN <= min(results) and max(results) <= MAX:
            return min(results), max(results)
    if operator == "%" and c > 0:
        return 0 if a >= 0 else 1 - d, 0 if b <= 0 else d - 1
    return MIN, MAX


def truths(values):
    """Whether a value may count as true, and whether as false."""
    return [holds for holds, some in ((True, values - ZERO), (False, values & ZERO)) if some]


class Machine:
    def __init__(self, system, claims, single):
        self.system, self.claims, self.single = system, claims, single
        self.cuts, self.worlds, self.with_trackers, self.trackers_of = (), 0, True, {}
        for index, tracker in enumerate(claims.trackers):
            for slot in tracker.slots:
                self.trackers_of.setdefault(slot, []).append(index)

    # Every value that an expression may have, each with the world in which it has it.

    def values(self, e, world):
        head = e[0] if isinstance(e, list) else e
        if isinstance(e, int) or head == "symbol":
            number = e if isinstance(e, int) else e[1]
            yield interval(number, number), world
        elif head in UNKNOWN:
            yield interval(*UNKNOWN[head]), world
        elif head == "_pid":
            yield from self.look("pid", ("pid", 0), world)
        elif head in ("global", "local"):
            for slot, found in self.slots(e, world):
                yield from self.look(e[3], (head, slot), found)
        elif head in ("&&", "||"):
            for left, found in self.truth(e[1], world):
                if left == (head == "||"):
                    yield interval(int(left), int(left)), found
                else:
                    for right, last in self.truth(e[2], found):
                        yield interval(int(right), int(right)), last
        elif head == "!":
            for holds, found in self.truth(e[1], world):
                yield interval(int(not holds), int(not holds)), found
        elif head in ("negate", "~"):
            yield from self.values(["-", 0, e[1]] if head == "negate" else ["^", -1, e[1]], world)
        elif head in OPERATORS:
            for (a, b), found in self.tuples(e[1:], world):
                result = self.apply(head, a, b)
                if result is not None:
                    yield interval(*result), found
        elif head == "cond":
            for holds, found in self.truth(e[1], world):
                yield from self.values(e[2] if holds else e[3], found)
        else:
            raise Refused(f"R12: `{head}` is not understood inside an expression")

    def truth(self, e, world):
        for value, found in self.values(e, world):
            for holds in truths(value):
                yield holds, found

    def tuples(self, expressions, world):
        """Values of several expressions, evaluated one after the other."""
        found = [([], world)]
        for e in expressions:
            found = [(before + [value], last) for before, one in found for value, last in self.values(e, one)]
        return found

    def apply(self, operator, a, b):
        if (a.chans or b.chans) and operator in ("==", "!="):
            if a.chans == b.chans and self.claims.objects[min(a.chans)].place[0] == "global":
                return (int(operator == "=="),) * 2
            if (a.chans and b.chans and a.chans != b.chans) or ZERO in (a, b):
                return (int(operator == "!="),) * 2
            return 0, 1                     # two of many channels, or a number, which may be that of a channel
        numbers = ((1, self.system.most_channels),)
        [x], [y] = numbers if a.chans else a.ints, numbers if b.chans else b.ints
        return over_intervals(operator, x, y)

    def slots(self, place, world):
        """The slots that a place may be."""
        found = [(place[2], world)]
        for _, index, length, stride in place[4:]:
            indices = [(slot, *case) for slot, before in found for case in self.values(index, before)]
            demand(not any(value.chans for _, value, _ in indices), 12, "a channel is used as an index")
            found = [(slot + number * stride, last) for slot, value, last in indices
                     for number in range(max(value.ints[0][0], 0), min(value.ints[0][1], length - 1) + 1)]
        return found

    def look(self, type_, key, world):
        if key[0] == "global" and self.system.globals[key[1]].hidden:    # no part of the state: anything
            demand(type_ != "chan", 12, "a hidden channel variable is read")
            yield interval(*type_range(type_)), world
            return
        for found in self.choose_trackers(key, world):
            for piece in pieces(found.value(key), self.cuts, self.single):
                self.worlds += 1
                if self.worlds > MOST_WORLDS:
                    raise NotCovered("a statement with too many cases")
                yield piece, found.knowing(key, piece)

    def choose_trackers(self, key, world):
        """Worlds in which it is known in which node each tracker of a global slot is."""
        worlds = [world]
        for index in self.trackers_of.get(key[1], ()) if key[0] == "global" and self.with_trackers else ():
            if index not in world.trackers:
                worlds = [chosen for one in worlds for chosen in self.choose_tracker(index, one)]
        return worlds

    def choose_tracker(self, index, world):
        tracker = self.claims.trackers[index]
        for number, sets in enumerate(tracker.nodes):
            found = world.copy()
            found.trackers = {**world.trackers, index: number}
            for slot, values in zip(tracker.slots, sets):
                found = found.knowing(("global", slot), found.value(("global", slot)) & values)
            if all(found.value(("global", slot)) for slot in tracker.slots):
                yield found

    def channels(self, place, world):
        """The objects that a place of type chan may denote; 0 is no channel."""
        for value, found in self.values(place, world):
            demand(value.chans or value == ZERO, 12, "a channel variable holds a number")
            for number in value.chans:
                yield number, found

    def cut(self, type_, values):
        """What a variable or field of the type holds when one of the values is stored."""
        numbers = Set(values.ints, frozenset())
        if type_ == "chan":
            demand(numbers <= ZERO, 12, "a number is stored in a channel variable")
            return values
        if values.chans:
            numbers = numbers | interval(1, self.system.most_channels)
        low, high = type_range(type_)
        if numbers <= interval(low, high):
            return numbers
        if numbers.size() > 4096:
            return interval(low, high)
        stored = NOTHING
        for number in (number for a, b in numbers.ints for number in range(a, b + 1)):
            stored = stored | interval(*((number - low) % (high - low + 1) + low,) * 2)
        return stored

    def store(self, place, values, world):
        for slot, found in self.slots(place, world):
            if place[0] == "global" and self.system.globals[slot].hidden:
                yield found
            else:
                for last in self.choose_trackers((place[0], slot), found):
                    yield last.write((place[0], slot), self.cut(place[3], values))

    # Statements: what each may do, as (world afterwards, effect).

    def execute(self, action, world):
        head = action[0]
        whole = action[1] if head == "when" else action[2] if head == "assign" else None
        if isinstance(whole, list) and whole[0] == "run":
            demand(not any(map(contains_run, whole[3:] + action[1:-1])), 12, "`run` inside of something else")
            slots = self.system.processes[whole[1]].slots
            for arguments, found in self.tuples(whole[3:], world):
                effect = ("start", whole[1], [self.cut(slot.type, value) for slot, value in zip(slots, arguments)])
                pid = interval(1, self.system.most_processes - 1)
                for last in [found] if head == "when" else self.store(action[1], pid, found):
                    yield last, effect
            return
        demand(not contains_run(action), 12, "`run` inside of something else starts a process")
        if head in ALWAYS:
            yield world, None
        elif head == "when":
            yield from ((found, None) for holds, found in self.truth(action[1], world) if holds)
        elif head == "assign":
            for value, found in self.values(action[2], world):
                yield from ((last, None) for last in self.store(action[1], value, found))
        elif head == "send":
            for number, found in self.channels(action[1], world):
                yield from self.send(number, action[2] == "sorted", action[3:], found)
        elif head == "receive":
            for number, found in self.channels(action[1], world):
                yield from self.receive(number, action[2] == "random", action[3] == "copy", action[4:], found)
        else:
            raise Refused(f"R12: `{head}` is not understood here")

    def send(self, number, is_sorted, arguments, world):
        thing = self.claims.objects[number]
        capacity, fields = self.system.channels[thing.type]
        demand(len(fields) == len(arguments), 12, "it sends another number of fields than the channel has")
        for message, found in self.tuples(arguments, world):
            got, rest = deal([self.cut(field, value) for field, value in zip(fields, message)], thing.classes)
            demand(not rest, 14, f"it may send {rest[:1]}, which is in no class of object {number}")
            for index in {index for index, _ in got}:
                yield found, ("put", number, index, is_sorted) if capacity else ("offer", number, index)

    def receive(self, number, is_random, is_copy, arguments, world):
        thing = self.claims.objects[number]
        capacity, fields = self.system.channels[thing.type]
        if capacity == 0 and is_copy:
            return                          # an error
        fits = len(arguments) <= len(fields) if is_copy else len(arguments) == len(fields)    # who only copies may name fewer
        demand(fits, 12, "it receives another number of fields than the channel has")
        for index, sets in enumerate(thing.classes):
            effect = ("accept", number, index) if capacity == 0 else None if is_copy else ("take", number, index, is_random)
            found = [(list(sets), world)]
            for position, (kind, *what) in enumerate(arguments):    # all values are matched before one is stored
                if kind == "match":
                    found = [case for message, one in found for case in self.match(message, position, what[0], one)]
            for message, one in found:
                stored = [one]
                for values, (kind, *what) in zip(message, arguments):
                    if kind == "store":
                        stored = [last for before in stored for last in self.store(what[0], values, before)]
                yield from ((last, effect) for last in stored)

    def match(self, message, position, e, world):
        for value, found in self.values(e, world):
            field = message[position]
            # A channel that is compared with a number: the number may be its own.
            is_mixed = (value.chans or field.chans) and Set((value | field).ints, frozenset()) - ZERO
            both = field if is_mixed else value & field
            if both:
                yield message[:position] + [both] + message[position + 1:], found

    def none_executable(self, actions, world):
        """Worlds in which none of the actions is sure to be executable."""
        worlds = [world]
        for action in actions:
            if action[0] == "assign" or (action[0] in ALWAYS and action[0] != "else"):
                return []
            if action[0] == "when" and not contains_run(action[1]):
                worlds = [found for one in worlds for holds, found in self.truth(action[1], one) if not holds]
        return worlds

    def outcomes(self, automaton, point, world):
        """All that a process at a point may do: (edge, (node, choice) inside a d_step, world, effect, next point)."""
        self.worlds, (kind, where) = 0, point
        if kind == "inside":
            self.cuts = cuts_of([automaton.edges[where[0]].action])
            yield from self.inside(where[0], automaton.edges[where[0]], where[1], world)
            return
        edges = [(number, automaton.edges[number]) for number in automaton.locations[where]]
        self.cuts = cuts_of([edge.action for _, edge in edges])
        for position, (number, edge) in enumerate(edges):
            if edge.action[0] == "end":
                yield number, None, world, None, None
            elif edge.action[0] == "d_step":
                yield from self.inside(number, edge, 0, world)
            else:
                before = [other.action for _, other in edges[:position]]
                for one in self.none_executable(before, world) if edge.action[0] == "else" else [world]:
                    for found, effect in self.execute(edge.action, one):
                        yield number, None, reset(edge, found), effect, ("at", edge.target)

    def inside(self, number, edge, step, world):
        choices = [choice[1:] for choice in edge.action[1 + step][1:]]
        for position, (action, following, *_) in enumerate(choices):
            # The first that is executable is taken. A receive by rendezvous is not asked for when those before it are.
            # A send by rendezvous is an error here.
            first = [(one, ("put", "take", "start", "accept")) for one in
                     self.none_executable([choice[0] for choice in choices[:position]], world)]
            for one, kinds in first + [(world, ("accept",))] * (action[0] == "receive"):
                for found, effect in self.execute(action, one):
                    if (effect[0] if effect else "take") in kinds:
                        done = following == "-"
                        target = ("at", edge.target) if done else ("inside", (number, following))
                        yield number, (step, position), reset(edge, found) if done else found, effect, target


def reset(edge, world):
    for slot in edge.dead:
        world = world.write(("local", slot), ZERO)
    return world


def cuts_of(actions):
    numbers = {part for action in actions for part in parts_of(action) if isinstance(part, int)} | {0}
    return sorted({number + more for number in numbers for more in (0, 1)})
