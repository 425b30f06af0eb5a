"""Statements, executed on worlds.

A *world* is what an interpreter would know if a variable had a set of values. Whenever a value is asked for, the world
splits into one world for each value (or for each interval, where there are too many), so that whatever depends on the
same variable later sees the same value.
"""
from sets import MAX, MIN, NOTHING, SINGLE_VALUES, ZERO, NotCovered, Refused, Set, channel, demand, interval, pieces, split
from system import contains_run, parts_of, type_range

COARSE_VALUES = 16         # sets up to this size are taken value by value where a statement would have too many cases


class World:
    """What is known while a statement is executed: sets of values, split whenever a value is asked for.

    `base` says what is known at the beginning, `before` what has been found out about it since, `now` the values at
    this moment. A slot is ("local", n) or ("global", n); ("pid", 0) is the number of the process."""
    __slots__ = "base before now written trackers length".split()

    def __init__(self, base, length=None):
        self.base, self.length = base, length
        self.before, self.now, self.written, self.trackers = {}, {}, frozenset(), {}

    def copy(self):
        world = World(self.base, self.length)
        world.before, world.now, world.written = dict(self.before), dict(self.now), self.written
        world.trackers = self.trackers
        return world

    def value(self, key):
        found = self.now.get(key)
        return self.base(key) if found is None else found

    def value_before(self, key):
        found = self.before.get(key)
        return self.base(key) if found is None else found

    def knowing(self, key, values):
        """The world in which the slot has one of these values (a subset of what it may have)."""
        world = self.copy()
        world.now[key] = values
        if key not in self.written:
            world.before[key] = values
        return world

    def about(self, matters):
        """What is known of these slots only."""
        world = self.copy()
        for known in (world.before, world.now):
            for key in [key for key in known if key not in matters]:
                del known[key]
        return world

    def name(self):
        return tuple(tuple(sorted(some)) for some in (self.before.items(), self.now.items(), self.written, self.trackers.items()))

    def write(self, key, values):
        world = self.copy()
        world.now[key] = values
        world.written = self.written | {key}
        return world


def wrap(number):
    return (number - MIN) % 2**32 + MIN


def exact(operator, a, b):
    """Two 32-bit integers as C computes with them; None is a division by zero, which ends the run."""
    if operator in ("/", "%"):
        if b == 0:
            return None
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return wrap(quotient) if operator == "/" else a - quotient * b
    if operator in COMPARE:
        return int(COMPARE[operator](a, b))
    return wrap({"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b,
                 "<<": a << (b & 31), ">>": a >> (b & 31)}[operator])


COMPARE = {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
           "==": lambda a, b: a == b, "!=": lambda a, b: a != b}
OPERATORS = set(COMPARE) | set("+ - * / % & | ^ << >>".split())


def over_intervals(operator, x, y):
    """The least interval this checker knows for an operator on two intervals; None if there is no result."""
    (a, b), (c, d) = x, y
    if a == b and c == d:
        result = exact(operator, a, c)
        return None if result is None else (result, result)
    if operator in COMPARE:
        corners = {COMPARE[operator](p, q) for p in x for q in y}
        if operator in ("==", "!=") and a <= d and c <= b:    # they meet, and one has two values
            corners = {True, False}
        return (0, 1) if len(corners) == 2 else (int(corners.pop()),) * 2
    if operator in ("+", "-", "*"):
        corners = [{"+": p + q, "-": p - q, "*": p * q}[operator] for p in x for q in y]
        low, high = min(corners), max(corners)
        return (low, high) if MIN <= low and high <= MAX else (MIN, MAX)
    if operator == "%" and c > 0:
        return (0 if a >= 0 else 1 - d, 0 if b <= 0 else d - 1)
    if operator == "/" and c > 0:
        return (min(a, 0), max(b, 0))
    if operator == "&" and (a >= 0 or c >= 0):
        return (0, min(high for low, high in (x, y) if low >= 0))
    return (MIN, MAX)


def truths(values):
    """Whether a value may count as true, and whether as false."""
    found = set()
    if values.chans or values - ZERO:
        found.add(True)
    if values & ZERO:
        found.add(False)
    return found


class TooMany(NotCovered):
    """A statement has more cases than the budget allows."""


class Machine:
    """Executes statements on worlds."""

    def __init__(self, system, claims, budget):
        self.system, self.claims, self.budget = system, claims, budget
        self.channel_numbers = interval(1, system.most_channels)
        self.cuts = ()
        self.trackers_of = {}
        for index, tracker in enumerate(claims.trackers):
            for slot in tracker.slots:
                self.trackers_of.setdefault(slot, []).append(index)
        self.with_trackers = True
        self.worlds, self.single = 0, SINGLE_VALUES

    # Every value that an expression may have, each with the world in which it has it.

    def values(self, e, world):
        if isinstance(e, int):
            yield interval(e, e), world
        elif e == "_pid":
            yield from self.look(None, ("pid", 0), world)
        elif e in ("_nr_pr", "_last"):
            yield interval(0, MAX), world
        elif e == "_priority":
            yield interval(MIN, MAX), world
        elif e in ("np_", "timeout"):
            yield interval(0, 1), world
        elif e[0] == "symbol":
            yield interval(e[1], e[1]), world
        elif e[0] in ("global", "local"):
            for slot, found in self.slots(e, world):
                yield from self.look(e, (e[0], slot), found)
        elif e[0] in ("&&", "||"):
            decides = e[0] == "||"
            for left, found in self.truth(e[1], world):
                if left == decides:
                    yield interval(int(decides), int(decides)), found
                else:
                    for right, last in self.truth(e[2], found):
                        yield interval(int(right), int(right)), last
        elif e[0] == "!":
            for holds, found in self.truth(e[1], world):
                yield interval(int(not holds), int(not holds)), found
        elif e[0] in ("negate", "~"):
            zero, operator = (-1, "^") if e[0] == "~" else (0, "-")
            for a, found in self.values(e[1], world):
                yield from self.apply(operator, interval(zero, zero), a, found)
        elif e[0] in OPERATORS:
            for a, found in self.values(e[1], world):
                for b, last in self.values(e[2], found):
                    yield from self.apply(e[0], a, b, last)
        elif e[0] == "cond":
            for holds, found in self.truth(e[1], world):
                yield from self.values(e[2] if holds else e[3], found)
        elif e[0] in ("len", "empty", "nempty"):
            yield from self.lengths(e[0], e[1], world)
        elif e[0] in ("full", "nfull", "poll", "enabled", "remote_label"):
            yield interval(0, 1), world
        elif e[0] in ("pc_value", "get_priority", "remote_variable"):
            yield interval(MIN, MAX), world
        elif e[0] == "run":
            raise Refused("R12: `run` inside of something else starts a process")
        else:
            raise NotCovered(f"the expression {e[0]}")

    def truth(self, e, world):
        for value, found in self.values(e, world):
            for holds in truths(value):
                yield holds, found

    def apply(self, operator, a, b, world):
        if (a.chans or b.chans) and operator in ("==", "!="):
            yield self.equal_channels(operator, a, b), world
            return
        [x] = (self.channel_numbers if a.chans else a).ints
        [y] = (self.channel_numbers if b.chans else b).ints
        result = over_intervals(operator, x, y)
        if result is not None:
            yield interval(*result), world

    def equal_channels(self, operator, a, b):
        if a.chans and b.chans:
            same = a.chans == b.chans
            one = same and self.claims.objects[min(a.chans)].place[0] == "global"
            if same and not one:
                return interval(0, 1)
            equal = same
        elif a == ZERO or b == ZERO:
            equal = False
        else:
            return interval(0, 1)      # a number may be that of any channel
        return interval(int(equal == (operator == "==")), int(equal == (operator == "==")))

    def lengths(self, word, place, world):
        """Nothing is known of lengths, unless the world says so (at the start, or for Guarded)."""
        if world.length is None:
            yield (interval(0, MAX) if word == "len" else interval(0, 1)), world
            return
        for number, found in self.channels(place, world):
            held = world.length(number)
            low, high = (0, MAX) if held is None else held
            if word == "len":
                yield interval(min(low, MAX), min(high, MAX)) if low <= MAX else interval(0, MAX), found
            else:
                is_empty = {0} if low > 0 else {1} if high == 0 else {0, 1}
                results = is_empty if word == "empty" else {1 - holds for holds in is_empty}
                yield interval(min(results), max(results)), found

    def slots(self, place, world):
        """The slots that a place may be; an index outside its array ends the run."""
        found = [(place[2], world)]
        for _, index, length, stride in place[4:]:
            found = [(slot + number * stride, last)
                     for slot, before in found
                     for value, last in self.values(index, before)
                     for number in self.indices(value, length)]
        return found

    def indices(self, value, length):
        demand(not value.chans, 12, "a channel is used as an index")
        [(low, high)] = value.ints
        return range(max(low, 0), min(high, length - 1) + 1)

    def look(self, place, key, world):
        if key[0] == "global" and self.system.globals[key[1]].hidden:
            demand(place[3] != "chan", 12, "a hidden channel variable is read")
            yield interval(*type_range(place[3])), world
            return
        for found in self.choose_trackers(key, world):
            for piece in pieces(found.value(key), self.cuts, self.single):
                self.worlds += 1
                if self.worlds > self.budget:
                    raise TooMany
                yield piece, found.knowing(key, piece)

    def choose_trackers(self, key, world):
        """Worlds in which it is known in which node the trackers of a global slot are."""
        worlds = [world]
        if key[0] == "global" and self.with_trackers:
            for index in self.trackers_of.get(key[1], ()):
                if index not in world.trackers:
                    worlds = [chosen for one in worlds for chosen in self.choose_tracker(index, one)]
        return worlds

    def choose_tracker(self, index, world):
        tracker = self.claims.trackers[index]
        for number, sets in enumerate(tracker.nodes):
            found = world
            for slot, values in zip(tracker.slots, sets):
                both = found.value(("global", slot)) & values
                if not both:
                    break
                found = found.knowing(("global", slot), both)
            else:
                found = found.copy()
                found.trackers = {**world.trackers, index: number}
                yield found

    def channels(self, place, world):
        """The objects that a place of type chan may denote. 0 is no channel: the run ends."""
        for slot, found in self.slots(place, world):
            for value, last in self.look(place, (place[0], slot), found):
                demand(value.chans or value == ZERO, 12, "a channel variable holds a number")
                for number in value.chans:
                    yield number, last

    # What is stored.

    def cut(self, type_, values):
        """What a variable or field of the type holds when one of the values is stored."""
        if type_ == "chan":
            demand(not Set(values.ints, frozenset()) - ZERO, 12, "a number is stored in a channel variable")
            return values
        if values.chans:
            values = Set(values.ints, frozenset()) | self.channel_numbers
        low, high = type_range(type_)
        if values <= interval(low, high):
            return values
        if values.size() > 4096:
            return interval(low, high)
        stored = NOTHING
        for a, b in values.ints:
            for number in range(a, b + 1):
                number = (number - low) % (high - low + 1) + low
                stored = stored | interval(number, number)
        return stored

    def store(self, place, values, world):
        values = self.cut(place[3], values)
        for slot, found in self.slots(place, world):
            key = (place[0], slot)
            if key[0] == "global" and self.system.globals[slot].hidden:
                yield found
            else:
                for last in self.choose_trackers(key, found):
                    yield last.write(key, values)

    # Statements: what each may do, as (world afterwards, effect).

    def execute(self, action, world):
        head = action[0]
        whole = action[1] if head == "when" else action[2] if head == "assign" else None
        if isinstance(whole, list) and whole[0] == "run":
            demand(not any(map(contains_run, whole[3:])), 12, "`run` inside of `run`")
            for arguments, found in self.tuples(whole[3:], world):
                slots = self.system.processes[whole[1]].slots
                arguments = [self.cut(slot.type, value) for slot, value in zip(slots, arguments)]
                effect = ("start", whole[1], arguments)
                if head == "when":
                    yield found, effect
                else:
                    demand(not contains_run(action[1]), 12, "`run` in an index starts a process")
                    for last in self.store(action[1], interval(1, self.system.most_processes - 1), found):
                        yield last, effect
            return
        demand(not contains_run(action), 12, "`run` inside of something else starts a process")
        if head in ("skip", "else", "assert", "printf", "printm", "set_priority"):
            yield world, None
        elif head == "when":
            for holds, found in self.truth(action[1], world):
                if holds:
                    yield found, None
        elif head == "assign":
            for value, found in self.values(action[2], world):
                for last in self.store(action[1], value, found):
                    yield last, None
        elif head == "send":
            for number, found in self.channels(action[1], world):
                yield from self.send(number, action[2] == "sorted", action[3:], found)
        elif head == "receive":
            for number, found in self.channels(action[1], world):
                yield from self.receive(number, action[2] == "random", action[3] == "copy", action[4:], found)
        else:
            raise Refused(f"R12: `{head}` is not understood here")

    def tuples(self, expressions, world):
        """Values of several expressions, evaluated one after the other."""
        found = [([], world)]
        for e in expressions:
            found = [(before + [value], last) for before, one in found for value, last in self.values(e, one)]
        return found

    def send(self, number, is_sorted, arguments, world):
        thing = self.claims.objects[number]
        capacity, fields = self.system.channels[thing.type]
        demand(len(fields) == len(arguments), 12, "it sends another number of fields than the channel has")
        for message, found in self.tuples(arguments, world):
            rest = [[self.cut(field, value) for field, value in zip(fields, message)]]
            for index, sets in enumerate(thing.classes):
                parts = [split(box, sets) for box in rest]
                rest = [box for _, left in parts for box in left]
                if any(inside is not None for inside, _ in parts):
                    yield found, ("put", number, index, is_sorted) if capacity else ("offer", number, index)
            demand(not rest, 14, f"it may send {rest[:1]}, which is in no class of object {number}")

    def receive(self, number, is_random, is_copy, arguments, world):
        thing = self.claims.objects[number]
        capacity, fields = self.system.channels[thing.type]
        if capacity == 0 and is_copy:
            return                     # a runtime error ends the run
        demand(len(fields) == len(arguments), 12, "it receives another number of fields than the channel has")
        for index, sets in enumerate(thing.classes):
            effect = ("accept", number, index) if capacity == 0 else None if is_copy else ("take", number, index, is_random)
            found = [(list(sets), world)]
            for position, argument in enumerate(arguments):    # all values are matched before one is stored
                if argument[0] == "match":
                    found = [matched for message, one in found
                             for matched in self.match(message, position, argument[1], one)]
            for message, one in found:
                stored = [one]
                for values, argument in zip(message, arguments):
                    if argument[0] == "store":
                        stored = [last for before in stored for last in self.store(argument[1], values, before)]
                for last in stored:
                    yield last, effect

    def match(self, message, position, e, world):
        for value, found in self.values(e, world):
            field = message[position]
            numbers = Set((value | field).ints, frozenset()) - ZERO
            if (value.chans or field.chans) and numbers:
                both = field           # a channel compared with a number, which may be its own
            else:
                both = value & field
            if both:
                yield message[:position] + [both] + message[position + 1:], found

    def none_executable(self, actions, world):
        """Worlds in which none of the actions is sure to be executable."""
        worlds = [world]
        for action in actions:
            if action[0] in ("skip", "assign", "assert", "printf", "printm", "set_priority"):
                return []
            if action[0] == "when" and not contains_run(action[1]):
                worlds = [found for one in worlds for holds, found in self.truth(action[1], one) if not holds]
        return worlds

    def outcomes(self, automaton, point, world, only=None):
        """All that a process at a point may do: (edge, (node, choice) inside a d_step, world, effect, next point).

        Value by value, if that is within the budget; otherwise by intervals, of which more may come out."""
        for self.single in (SINGLE_VALUES, COARSE_VALUES):
            self.worlds = 0
            try:
                return list(self.cases(automaton, point, world, only))
            except TooMany:
                pass
            finally:
                self.single = SINGLE_VALUES
        raise NotCovered(f"a statement with more than {self.budget} cases")

    def cases(self, automaton, point, world, only):
        if point[0] == "at":
            for position, number in enumerate(automaton.locations[point[1]]):
                edge = automaton.edges[number]
                if only not in (None, number):
                    continue
                if edge.action[0] == "end":
                    yield number, None, world, None, None
                elif edge.action[0] == "d_step":
                    yield from self.inside(number, edge, 0, world)
                else:
                    self.set_cuts(automaton, automaton.locations[point[1]])
                    worlds = [world]
                    if edge.action[0] == "else":
                        before = [automaton.edges[other].action for other in automaton.locations[point[1]][:position]]
                        worlds = self.none_executable(before, world)
                    for one in worlds:
                        for found, effect in self.execute(edge.action, one):
                            yield number, None, self.reset(edge, found), effect, ("at", edge.target)
        elif only in (None, point[1][0]):
            number, step = point[1]
            yield from self.inside(number, automaton.edges[number], step, world)

    def inside(self, number, edge, step, world):
        choices = [choice[1:] for choice in edge.action[1 + step][1:]]
        self.cuts = cuts_of([choice[0] for choice in choices])
        for position, (action, following, *_) in enumerate(choices):
            if following == "-":
                target, finish = ("at", edge.target), lambda found: self.reset(edge, found)
            else:
                target, finish = ("inside", (number, following)), lambda found: found
            for one in self.none_executable([choice[0] for choice in choices[:position]], world):
                for found, effect in self.execute(action, one):
                    if effect is None or effect[0] != "offer":    # a rendezvous send in a d_step is an error
                        yield number, (step, position), finish(found), effect, target
            if position > 0 and action[0] == "receive":
                # A receive by rendezvous is not asked for when the choices before it are.
                for found, effect in self.execute(action, world):
                    if effect is not None and effect[0] == "accept":
                        yield number, (step, position), finish(found), effect, target

    def set_cuts(self, automaton, edges):
        self.cuts = cuts_of([automaton.edges[number].action for number in edges])

    def reset(self, edge, world):
        for slot in edge.dead:
            world = world.write(("local", slot), ZERO)
        return world


def cuts_of(actions):
    numbers = {part for action in actions for part in parts_of(action) if isinstance(part, int)} | {0}
    return tuple(sorted({number + more for number in numbers for more in (0, 1)}))
