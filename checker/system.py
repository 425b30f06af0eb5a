"""The automata, read from their text form (docs/system-text.md)."""
import hashlib
import re
from collections import namedtuple

from sets import MAX, MIN, Unreadable

TEXT_VERSION = 1
TOKEN = re.compile(r'[()]|"(?:[^"\\]|\\.)*"|[^\s()"]+')


class Text(str):
    """A text in quotes, as opposed to a word."""


def parse_line(line):
    stack = [[]]
    for token in TOKEN.findall(line):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            if not stack:
                raise Unreadable("a ) too many")
            stack[-1].append(done)
        elif token[0] == '"':
            stack[-1].append(Text(re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], token[1:-1])))
        else:
            stack[-1].append(int(token) if re.fullmatch(r"-?\d+", token) else token)
    if len(stack) != 1 or len(stack[0]) != 1:
        raise Unreadable(f"not one list: {line[:60]}")
    return stack[0][0]


Slot = namedtuple("Slot", "name type hidden init")
Edge = namedtuple("Edge", "source target action dead progress")


class Automaton:
    def __init__(self, name, parameters, active, initial, provided):
        self.name, self.parameters, self.active, self.initial, self.provided = name, parameters, active, initial, provided
        self.slots, self.locations, self.edges = [], [], []


class System:
    def __init__(self, text):
        lines = [line for line in text.split("\n") if line and not line.startswith(";")]
        self.fingerprint = hashlib.sha256("".join(line + "\n" for line in lines).encode()).hexdigest()
        self.channels, self.globals, self.processes = [], [], []
        frame, automaton = self.globals, None
        for line in map(parse_line, lines):
            head = line[0]
            if head == "system":
                if line[1] != TEXT_VERSION:
                    raise Unreadable(f"version {line[1]} of the text form is not known")
                self.most_processes, self.most_channels = line[3], line[5]
            elif head == "channel":
                self.channels.append((line[3], line[4:]))
            elif head == "proctype":
                provided = next((item[1] for item in line[11:]), None)
                automaton = Automaton(line[2], line[4], line[6], line[10], provided)
                self.processes.append(automaton)
                frame = automaton.slots
            elif head in ("claim", "trace", "notrace"):
                automaton = Automaton("", 0, 0, 0, None)    # they only watch
                frame = automaton.slots
            elif head == "slot":
                init = next((item for item in line[4:] if item != "hidden"), None)
                frame.append(Slot(line[2], line[3], "hidden" in line[4:], init))
            elif head == "location":
                automaton.locations.append([])
            elif head == "edge":
                marks = [item for item in line[4:] if isinstance(item, list)]
                dead = [slot for item in marks if item[0] == "dead" for slot in item[1:]]
                automaton.locations[line[1]].append(len(automaton.edges))
                progress = any(item == "progress" and not isinstance(item, Text) for item in line[4:])
                automaton.edges.append(Edge(line[1], line[2], line[3], dead, progress))
            elif head not in ("features", "symbols", "variable", "label"):
                raise Unreadable(f"`{head}` is not known")

    def capacity(self, channel_type):
        return self.channels[channel_type][0]


def parts_of(expression):
    """An expression or action and everything in it."""
    yield expression
    if isinstance(expression, list):
        for item in expression:
            yield from parts_of(item)


def contains_run(expression):
    return any(isinstance(part, list) and part[:1] == ["run"] for part in parts_of(expression))


def type_range(type_):
    if isinstance(type_, list):
        return (0, 255) if type_[0] == "mtype" else (0, 2**min(type_[1], 31) - 1) if type_[1] < 32 else (MIN, MAX)
    return {"bit": (0, 1), "bool": (0, 1), "byte": (0, 255), "pid": (0, 255), "chan": (0, 255),
            "short": (-2**15, 2**15 - 1), "int": (MIN, MAX)}[type_]
