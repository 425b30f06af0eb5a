"""What a statement may do: an interpreter that asks `choose` wherever it does not know.

It knows of each variable a set of values. Whoever asks for the value is given one of them (or an
interval, where there are too many), and from then on it is that one. A division by zero, an index
out of range, no channel: the run ends, and so does this way.
"""
from operator import add, eq, ge, gt, le, lt, mul, ne, sub

from system import parts_of, range_of, runs
from ways import FIRST_CHANNEL, INTEGERS, MAX, MIN, ZERO, Refused, Set, Ways
from ways import demand, interval, pieces, stop_unless

CORNERS = {"+": add, "-": sub, "*": mul}
COMPARE = {"<": lt, "<=": le, ">": gt, ">=": ge, "==": eq, "!=": ne}
OPERATORS = {*COMPARE, *"+ - * / % & | ^ << >>".split()}
ALWAYS = ("skip", "assert", "printf", "printm", "set_priority")    # executable; nothing changes
BITS = "full nfull empty nempty poll enabled remote_label np_ timeout".split()
OTHERS = "pc_value get_priority _priority remote_variable".split()
UNKNOWN = {**{word: (0, 1) for word in BITS}, **{word: (MIN, MAX) for word in OTHERS},
           **{word: (0, MAX) for word in ("len", "_nr_pr", "_last")}}


def exact(operator, a, b):
    """Two 32-bit integers as C computes with them."""
    if operator in ("/", "%"):
        stop_unless(b != 0)
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        result = quotient if operator == "/" else a - quotient * b
    elif operator in COMPARE:
        result = int(COMPARE[operator](a, b))
    else:
        result = {"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b,
                  "<<": a << (b & 31), ">>": a >> (b & 31)}[operator]
    return (result - MIN) % 2**32 + MIN


def operate(operator, x, y):
    """An interval with all results; those of + - * are largest and smallest at the ends."""
    if x[0] == x[1] and y[0] == y[1]:
        return (exact(operator, x[0], y[0]),) * 2
    if operator in ("==", "!=") and x[0] <= y[1] and y[0] <= x[1]:
        return 0, 1
    if operator in COMPARE or operator in CORNERS:
        results = [int((COMPARE.get(operator) or CORNERS[operator])(a, b)) for a in x for b in y]
        if MIN <= min(results) and max(results) <= MAX:
            return min(results), max(results)
    return MIN, MAX


def is_channel(value):
    return value[0] >= FIRST_CHANNEL


def cuts_of(choices):
    actions = [choice.action for choice in choices]
    numbers = {part for part in parts_of(actions) if isinstance(part, int)}
    return tuple(sorted({number + more for number in numbers | {0} for more in (0, 1)}))


class Machine(Ways):
    """The state of one way. A key is (frame, slot): the frame is "global", or a number that stands
    for a process; its slot "pid" is its number. `known` is what is known now, `old` what was known
    of slots before they were written."""

    def reset(self, cuts):
        self.known, self.old, self.who, self.cuts = {}, {}, {}, cuts
        self.message = self.partner = self.started = None
        self.moves, self.waits = [], False

    def claimed(self, key):
        frame, slot = key
        if frame == "global":
            return self.claims.globals[slot]
        group = self.groups[self.who[frame]]
        return group.pid if slot == "pid" else group.slots[slot]

    def get(self, key):
        return self.known[key] if key in self.known else self.claimed(key)

    def narrow(self, key, allowed):
        self.known[key] = self.get(key) & allowed
        stop_unless(self.known[key])

    def fit(self, boxes, rule, what):
        """The first box (a set for each of some keys) that the values fit; where only some do, both
        that they fit and that they do not are ways to go on. There must be one."""
        for name, box in boxes:
            if all(self.get(key) & allowed for key, allowed in box.items()):
                if all(self.lies_in(key, allowed) for key, allowed in box.items()):
                    return name
        raise Refused(f"R{rule}: {what}")

    def lies_in(self, key, allowed):
        have = self.get(key)
        ways = [way for way in ((True, have & allowed), (False, have - allowed)) if way[1]]
        inside, self.known[key] = self.choose(ways)
        return inside

    def pick(self, key):
        """One value of a slot, or one interval."""
        piece = self.choose(pieces(self.get(key), self.cuts, self.single))
        self.known[key] = Set([piece])
        return piece

    # Expressions: the interval in which the value is.

    def value(self, e, frame):
        head = e[0] if isinstance(e, list) else e
        if isinstance(e, int) or head == "symbol":
            return (e if isinstance(e, int) else e[1],) * 2
        if head == "remote_label" and e[1][0] == "processes":
            return 0, MAX                        # how many stand there
        if head in UNKNOWN:
            return UNKNOWN[head]
        if head == "_pid":
            return self.pick((frame, "pid"))
        if head in ("global", "local"):
            key = self.place(e, frame)
            if not self.is_hidden(key):
                return self.pick(key)
            demand(e[3] != "chan", 12, "a hidden channel variable is read")
            return range_of(e[3])                # no part of the state: anything
        if head in ("&&", "||"):
            left = self.truth(e[1], frame)
            return (int(left if left == (head == "||") else self.truth(e[2], frame)),) * 2
        if head == "!":
            return (int(not self.truth(e[1], frame)),) * 2
        if head == "cond":
            return self.value(e[2] if self.truth(e[1], frame) else e[3], frame)
        if head in ("negate", "~"):
            return self.value(["-", 0, e[1]] if head == "negate" else ["^", -1, e[1]], frame)
        demand(head in OPERATORS, 12, f"`{head}` is not understood inside an expression")
        return self.apply(head, self.value(e[1], frame), self.value(e[2], frame))

    def truth(self, e, frame):
        low, high = self.value(e, frame)
        return self.choose([True] * ((low, high) != (0, 0)) + [False] * (low <= 0 <= high))

    def apply(self, operator, x, y):
        """A channel is equal to no other and not to 0; any other number may be the number of it."""
        channels = [z for z in (x, y) if is_channel(z)]
        if channels and operator in ("==", "!="):
            one = self.objects[(channels[0][0] - FIRST_CHANNEL) // 2].place[0] == "global"
            if x == y if len(channels) == 2 else (0, 0) not in (x, y):
                return (int(operator == "=="),) * 2 if x == y and one else (0, 1)
            return (int(operator == "!="),) * 2
        numbers = (1, self.system.most_channels)
        return operate(operator, *(numbers if is_channel(z) else z for z in (x, y)))

    def place(self, place, frame):
        """The key of one of the slots that the place may be."""
        slot = place[2]
        for _, index, length, stride in place[4:]:
            low, high = self.value(index, frame)
            demand(low < FIRST_CHANNEL, 12, "a channel is used as an index")
            slot += stride * self.choose(range(max(low, 0), min(high, length - 1) + 1))
        return ("global" if place[0] == "global" else frame, slot)

    def is_hidden(self, key):
        return key[0] == "global" and self.system.globals[key[1]].hidden

    def channel(self, place, frame):
        """The object that a place of type chan denotes; 0 is no channel."""
        value = self.value(place, frame)
        demand(is_channel(value) or value == (0, 0), 12, "a channel variable holds a number")
        stop_unless(is_channel(value))
        return (value[0] - FIRST_CHANNEL) // 2

    # Statements.

    def cut(self, type_, values):
        """What a variable or field of the type holds when one of the values is stored."""
        if type_ == "chan":
            demand(values & INTEGERS <= ZERO, 12, "a number is stored in a channel variable")
            return values
        low, high = range_of(type_)
        if values <= interval(low, high):
            return values
        a, b = self.choose(pieces(values, self.cuts, self.single))
        if a == b < FIRST_CHANNEL:
            return interval(*((a - low) % (high - low + 1) + low,) * 2)
        most = self.system.most_channels
        return interval(1, most) if is_channel((a, b)) and most <= high else interval(low, high)

    def store(self, place, values, frame):
        key = self.place(place, frame)
        if not self.is_hidden(key):
            self.write(key, self.cut(place[3], values))

    def write(self, key, values):
        self.old.setdefault(key, self.get(key))
        self.known[key] = values

    def is_executable(self, action, frame):
        """Whether it is sure to be executable; of sends and receives that is never sure."""
        if action[0] == "when" and not runs(action[1]):
            return self.truth(action[1], frame)
        return action[0] in ALWAYS or action[0] == "assign"

    def execute(self, choice, frame):
        stop_unless(not any(self.is_executable(other, frame) for other in choice.before))
        action = choice.action
        head, whole = action[0], action[-1]
        if head in ("when", "assign") and isinstance(whole, list) and whole[0] == "run":
            demand(not runs(whole[3:] + action[1:-1]), 12, "`run` inside of something else")
            self.start(whole[1], whole[3:], frame)
            if head == "assign":
                self.store(action[1], interval(1, self.system.most_processes - 1), frame)
            return
        demand(not runs(action), 12, "`run` inside of something else starts a process")
        if head == "when":
            stop_unless(self.truth(action[1], frame))
        elif head == "assign":
            self.store(action[1], Set([self.value(action[2], frame)]), frame)
        elif head == "send":
            self.send(choice, self.channel(action[1], frame), action[3:], frame)
        elif head == "receive":
            self.receive(self.channel(action[1], frame), None, *action[3:], frame=frame)
        else:
            demand(head in ALWAYS or head == "else", 12, f"`{head}` is not understood here")

    def send(self, choice, number, arguments, frame):
        """R14: the message is in a class. By rendezvous somebody receives it at once."""
        thing = self.objects[number]
        capacity, fields = self.system.channels[thing.type]
        demand(len(fields) == len(arguments), 12, "another number of fields than the channel has")
        for position, (field, e) in enumerate(zip(fields, arguments)):
            self.known["message", position] = self.cut(field, Set([self.value(e, frame)]))
        class_ = self.fit(enumerate(thing.boxes), 14, f"a message to {number} is in no class")
        if capacity:
            self.message = (number, class_, 1)
        else:
            stop_unless(not choice.inside)           # inside of a d_step an error
            self.meet(number, class_)

    def receive(self, number, class_, take, *arguments, frame):
        """A message of the class, or of any; who only copies may name fewer fields."""
        thing, is_copy = self.objects[number], take == "copy"
        capacity, fields = self.system.channels[thing.type]
        stop_unless(capacity or not is_copy)         # an error
        fits = len(arguments) <= len(fields) if is_copy else len(arguments) == len(fields)
        demand(fits, 12, "another number of fields than the channel has")
        if class_ is None:
            class_, self.waits = self.choose(range(len(thing.classes))), capacity == 0
        if capacity and not is_copy:
            self.take(number, class_)
        message = list(thing.classes[class_])
        # All are matched before one is stored.
        for position, (kind, *what) in enumerate(arguments):
            if kind == "match":
                value = self.value(what[0], frame)
                # A channel that is compared with a number other than 0: it may be its number.
                if is_channel(value) == (fields[position] == "chan") or value == (0, 0):
                    message[position] &= Set([value])
                stop_unless(message[position])
        for values, (kind, *what) in zip(message, arguments):
            if kind == "store":
                self.store(what[0], values, frame)

    def take(self, number, class_):
        self.message = (number, class_, -1)
