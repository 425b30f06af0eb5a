"""Sets of values, and the ways to say no."""
from collections import namedtuple

MIN, MAX = -2**31, 2**31 - 1


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
        return Set(tuple(ints), self.chans & other.chans)

    def __sub__(self, other):
        ints = self.ints
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


def interval(low, high):
    return Set(((low, high),), frozenset())


def channel(number):
    return Set((), frozenset([number]))


NOTHING, ZERO = Set((), frozenset()), interval(0, 0)


def pieces(values, cuts, single):
    """The set in pieces: single values if they are at most `single`, otherwise intervals that end at the `cuts`."""
    yield from map(channel, sorted(values.chans))
    for low, high in values.ints:
        for cut in range(low + 1, high + 1) if values.size() <= single else cuts:
            if low < cut <= high:
                yield interval(low, cut - 1)
                low = cut
        yield interval(low, high)


def split(box, sets):
    """The part of a box (a list of sets) inside another one, or None, and what is left of it, in disjoint boxes."""
    inside = [a & b for a, b in zip(box, sets)]
    if not all(inside):
        return None, [box]
    return inside, [inside[:i] + [a - b] + list(box[i + 1:]) for i, (a, b) in enumerate(zip(box, sets)) if a - b]


def deal(box, many):
    """Gives a box to the boxes of a list, each of which takes what those before it leave: who got what, and the rest."""
    got, rest = [], [box]
    for index, sets in enumerate(many):
        parts = [split(left, sets) for left in rest]
        rest = [left for _, some in parts for left in some]
        got += [(index, inside) for inside, _ in parts if inside is not None]
    return got, rest
