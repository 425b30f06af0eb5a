"""Sets of values, the ways to say no, and how every way that something can go is tried."""
from functools import lru_cache

MIN, MAX = -2**31, 2**31 - 1
FIRST_CHANNEL = 2**40
MOST_WAYS = 500_000


class Refused(Exception):
    """The certificate breaks a rule."""


class Unreadable(Exception):
    """There is nothing to check: no certificate, or one for another model."""


class NotCovered(Exception):
    """This checker cannot tell."""


class Stop(Exception):
    """This way does not go on: the run ends with an error, or nothing can be like this."""


def demand(holds, rule, what):
    if not holds:
        raise Refused(f"R{rule}: {what}")


def stop_unless(holds):
    if not holds:
        raise Stop


class Set(tuple):
    """Numbers, as intervals (low, high) in order. A channel is a number, too: FIRST_CHANNEL + 2n
    for object n, so that it is equal to no integer and not next to another channel."""
    __slots__ = ()

    def __and__(self, other):
        return Set((max(a, c), min(b, d)) for a, b in self for c, d in other
                   if max(a, c) <= min(b, d))

    def __sub__(self, other):
        left = self
        for c, d in other:
            left = [part for a, b in left for part in ((a, min(b, c - 1)), (max(a, d + 1), b))
                    if part[0] <= part[1]]
        return Set(left)

    def __le__(self, other):
        return not self - other


def interval(low, high):
    return Set([(low, high)])


def channel(number):
    return interval(FIRST_CHANNEL + 2 * number, FIRST_CHANNEL + 2 * number)


ZERO, INTEGERS = interval(0, 0), interval(MIN, MAX)


@lru_cache(100_000)
def pieces(values, cuts, single):
    """The set as single values if it has at most `single`, else as intervals that end at `cuts`."""
    if sum(high - low + 1 for low, high in values) <= single:
        return [(number, number) for low, high in values for number in range(low, high + 1)]
    found = []
    for low, high in values:
        for cut in cuts:
            if low < cut <= high:
                found.append((low, cut - 1))
                low = cut
        found.append((low, high))
    return found


class Ways:
    """Answers questions so that in the end every answer to every question has been given."""

    def all_of(self, act):
        """The results of a function that asks `choose`, once with each sequence of answers."""
        results, self.script = set(), []          # the script: [answer, number of answers] in turn
        for _ in range(MOST_WAYS):
            self.asked = 0
            try:
                results.add(act())
            except Stop:
                pass
            while self.script and self.script[-1][0] + 1 == self.script[-1][1]:
                self.script.pop()
            if not self.script:
                return results
            self.script[-1][0] += 1
        raise NotCovered("a statement with too many cases")

    def choose(self, options):
        stop_unless(options)
        if len(options) == 1:
            return options[0]
        if self.asked == len(self.script):
            self.script.append([0, len(options)])
        self.asked += 1
        return options[self.script[self.asked - 1][0]]
