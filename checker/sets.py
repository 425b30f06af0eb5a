"""Sets of values, and the ways to say no."""
from collections import namedtuple

MIN, MAX = -2**31, 2**31 - 1
SINGLE_VALUES = 300        # sets up to this size are taken value by value


class Refused(Exception):
    """The certificate breaks a rule."""


class Unreadable(Exception):
    """There is nothing to check: no certificate, or one for another model."""


class NotCovered(Exception):
    """This checker cannot tell."""


def demand(holds, rule, what):
    if not holds:
        raise Refused(f"R{rule}: {what}")


class Set(namedtuple("Set", "ints chans")):
    """Integers as sorted intervals that do not touch, and channels by the number of their object."""
    __slots__ = ()

    def __bool__(self):
        return bool(self.ints or self.chans)

    def __and__(self, other):
        ints = [(max(a, c), min(b, d)) for a, b in self.ints for c, d in other.ints if max(a, c) <= min(b, d)]
        return Set(tuple(sorted(ints)), self.chans & other.chans)

    def __sub__(self, other):
        ints = list(self.ints)
        for c, d in other.ints:
            ints = [part for a, b in ints for part in ((a, min(b, c - 1)), (max(a, d + 1), b)) if part[0] <= part[1]]
        return Set(tuple(ints), self.chans - other.chans)

    def __or__(self, other):
        joined = []
        for a, b in sorted(self.ints + other.ints):
            if joined and a <= joined[-1][1] + 1:
                joined[-1] = (joined[-1][0], max(b, joined[-1][1]))
            else:
                joined.append((a, b))
        return Set(tuple(joined), self.chans | other.chans)

    def __le__(self, other):
        return not self - other

    def size(self):
        return sum(b - a + 1 for a, b in self.ints) + len(self.chans)


NOTHING = Set((), frozenset())
ZERO = Set(((0, 0),), frozenset())


def interval(low, high):
    return Set(((low, high),), frozenset())


def channel(number):
    return Set((), frozenset([number]))


def pieces(values, cuts, single=SINGLE_VALUES):
    """The set in pieces: single values if they are few, otherwise intervals that end at the numbers in `cuts`."""
    for number in sorted(values.chans):
        yield channel(number)
    if values.size() <= single:
        for low, high in values.ints:
            for number in range(low, high + 1):
                yield interval(number, number)
        return
    for low, high in values.ints:
        for cut in cuts:
            if low < cut <= high:
                yield interval(low, cut - 1)
                low = cut
        yield interval(low, high)


def split(box, sets):
    """The part of a box (a list of sets) inside another one, and what is left of it, in disjoint boxes."""
    inside = [a & b for a, b in zip(box, sets)]
    if not all(inside):
        return None, [box]
    left = []
    for position, (a, b) in enumerate(zip(box, sets)):
        if a - b:
            left.append(inside[:position] + [a - b] + list(box[position + 1:]))
    return inside, left
