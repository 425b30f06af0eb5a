"""The automata, read from their text form (docs/system-text.md)."""
import hashlib
import re
from collections import namedtuple

from sets import MAX, MIN, Unreadable

TOKEN = re.compile(r'[()]|"(?:[^"\\]|\\.)*"|[^\s()"]+')
Slot = namedtuple("Slot", "name type hidden init")
Edge = namedtuple("Edge", "source target action dead progress")


class Text(str):
    """A text in quotes, as opposed to a word."""


def parse_line(line):
    stack = [[]]
    for token in TOKEN.findall(line):
        if token == "(":
            stack.append([])
        elif token == ")" and len(stack) > 1:
            done = stack.pop()
            stack[-1].append(done)
        elif token[0] == '"':
            stack[-1].append(Text(token[1:-1]))
        else:
            stack[-1].append(int(token) if re.fullmatch(r"-?\d+", token) else token)
    if len(stack) != 1 or len(stack[0]) != 1:
        raise Unreadable(f"not one list: {line[:60]}")
    return stack[0][0]


class Automaton:
    def __init__(self, name="", parameters=0, active=0, initial=0, provided=None):
        self.name, self.parameters, self.active, self.initial, self.provided = name, parameters, active, initial, provided
        self.slots, self.locations, self.edges = [], [], []


class System:
    def __init__(self, text):
        lines = [line for line in text.split("\n") if line and not line.startswith(";")]
        self.fingerprint = hashlib.sha256("".join(line + "\n" for line in lines).encode()).hexdigest()
        self.channels, self.globals, self.processes = [], [], []
        frame, automaton = self.globals, None
        for head, *line in map(parse_line, lines):
            if head == "system":
                if line[0] != 1:
                    raise Unreadable(f"version {line[0]} of the text form is not known")
                self.most_processes, self.most_channels = line[2], line[4]
            elif head == "channel":
                self.channels.append((line[2], line[3:]))
            elif head == "proctype":
                provided = line[10][1] if len(line) > 10 else None
                automaton = Automaton(line[1], line[3], line[5], line[9], provided)
                self.processes.append(automaton)
                frame = automaton.slots
            elif head in ("claim", "trace", "notrace"):
                automaton = Automaton()           # they only watch
                frame = automaton.slots
            elif head == "slot":
                init = next((item for item in line[3:] if item != "hidden"), None)
                frame.append(Slot(line[1], line[2], "hidden" in line[3:], init))
            elif head == "location":
                automaton.locations.append([])
            elif head == "edge":
                dead = [slot for item in line[3:] if item[0] == "dead" for slot in item[1:]]
                automaton.locations[line[0]].append(len(automaton.edges))
                automaton.edges.append(Edge(*line[:3], dead, is_progress(line[3:])))
            elif head not in ("features", "symbols", "variable", "label"):
                raise Unreadable(f"`{head}` is not known")


def is_progress(marks):
    return any(mark == "progress" and not isinstance(mark, Text) for mark in marks)


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
        bits = 8 if type_[0] == "mtype" else type_[1]
        return (0, 2**bits - 1) if bits < 32 else (MIN, MAX)
    return {"bit": (0, 1), "bool": (0, 1), "short": (-2**15, 2**15 - 1), "int": (MIN, MAX)}.get(type_, (0, 255))
