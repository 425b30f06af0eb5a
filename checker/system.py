"""The automata, read from their text form (docs/system-text.md)."""
import hashlib
import re
from collections import namedtuple

from ways import MAX, MIN, Unreadable

TOKEN = re.compile(r'[()]|"(?:[^"\\]|\\.)*"|[^\s()"]+')
Slot = namedtuple("Slot", "type hidden init")
# A statement: its edge; its node and position if it is inside of a d_step; statements that are not
# executable when it is executed; where it leads (None: the process ends).
Choice = namedtuple("Choice", "edge inside action before target dead progress")


def parse(line):
    """Lists of words and numbers; texts keep their quotes."""
    stack = [[]]
    for token in TOKEN.findall(line):
        if token == "(":
            stack.append([])
        elif token == ")" and len(stack) > 1:
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(int(token) if re.fullmatch(r"-?\d+", token) else token)
    if len(stack) != 1 or len(stack[0]) != 1:
        raise Unreadable(f"not one list: {line[:60]}")
    return stack[0][0]


class Automaton:
    """`points`: the choices at ("at", location) and at ("inside", (edge, node of its d_step))."""

    def __init__(self, name="", fields=()):
        self.name, self.slots, self.points, self.edges = name, [], {}, 0
        fields = dict(zip(fields[::2], fields[1::2]))
        self.parameters, self.active = fields.get("parameters"), fields.get("active")
        self.initial = ("at", fields.get("initial"))

    def add_edge(self, source, target, action, *marks):
        number, target, here = self.edges, ("at", target), self.points["at", source]
        dead = [slot for mark in marks if mark[0] == "dead" for slot in mark[1:]]
        self.edges += 1
        if action[0] != "d_step":
            before = here if action == ["else"] else []
            before = [one.action for one in before if one.inside is None]
            target = None if action == ["end"] else target
            here.append(Choice(number, None, action, before, target, dead, "progress" in marks))
            return
        for step, (_, *choices) in enumerate(action[1:]):
            found, before = [], []
            for position, (_, inner, following, *own) in enumerate(choices):
                # The first that is executable is taken; of receives that is not relied on.
                unable = [] if inner[0] == "receive" else list(before)
                leads = ("inside", (number, following)), []
                leads = (target, dead) if following == "-" else leads
                progress = "progress" in marks or "progress" in own
                found.append(Choice(number, (step, position), inner, unable, *leads, progress))
                before.append(inner)
            self.points["inside", (number, step)] = found
            here += found if step == 0 else []


class System:
    def __init__(self, text):
        lines = [line for line in text.split("\n") if line and not line.startswith(";")]
        whole = "".join(line + "\n" for line in lines)
        self.fingerprint = hashlib.sha256(whole.encode()).hexdigest()
        self.channels, self.globals, self.processes, self.provided = [], [], [], []
        frame, automaton = self.globals, None
        for head, *line in map(parse, lines):
            if head == "system":
                if line[0] != 1:
                    raise Unreadable(f"version {line[0]} of the text form is not known")
                self.most_processes, self.most_channels = line[2], line[4]
            elif head == "channel":
                self.channels.append((line[2], line[3:]))
            elif head in ("proctype", "claim", "trace", "notrace"):
                automaton = Automaton(*([line[1], line[2:10]] if head == "proctype" else []))
                frame = automaton.slots
                if head == "proctype":            # the others only watch
                    self.processes.append(automaton)
                    self.provided += line[10:]
            elif head == "slot":
                init = next((item for item in line[3:] if item != "hidden"), None)
                frame.append(Slot(line[2], "hidden" in line[3:], init))
            elif head == "location":
                automaton.points["at", line[0]] = []
            elif head == "edge":
                automaton.add_edge(*line)
            elif head not in ("features", "symbols", "variable", "label"):
                raise Unreadable(f"`{head}` is not known")


def parts_of(expression):
    """An expression or action and everything in it."""
    yield expression
    for item in expression if isinstance(expression, list) else ():
        yield from parts_of(item)


def runs(expression):
    """Whether it starts a process."""
    return any(isinstance(part, list) and part[:1] == ["run"] for part in parts_of(expression))


def range_of(type_):
    if isinstance(type_, list):
        bits = 8 if type_[0] == "mtype" else type_[1]
        return (0, 2**bits - 1) if bits < 32 else (MIN, MAX)
    ranges = {"bit": (0, 1), "bool": (0, 1), "short": (-2**15, 2**15 - 1), "int": (MIN, MAX)}
    return ranges.get(type_, (0, 255))
