#!/usr/bin/env python3
"""A second checker of Plimsoll's certificates: slow, and with nothing in common with the first but
the rules.

    plimsoll graph MODEL --format system > system.txt
    plimsoll bounds MODEL --certificate bounds.json
    python3 check.py system.txt bounds.json ...

It reads the text form of the automata (docs/system-text.md) and a certificate, and checks the
rules of docs/certificates.md; R1, R2, ... are the numbers of that page. It needs Python 3 and
nothing else.

Exit code: 0 accepted, 1 refused, 2 not readable or for another model, 3 not covered (this checker
cannot tell), 4 a defect of this checker; the worst of them for several certificates.

To read a checker from beginning to end take core.py: it is one file of 500 lines, tries every value,
and covers most certificates. This one covers nearly all: large sets of values as intervals,
rendezvous, `d_step`, channels of processes. From the bottom: ways.py (sets; how all ways are tried),
system.py (the automata), form.py (the certificate), machine.py (what a statement may do: an
interpreter that is run once for each way; the first checker computes with sets for each variable
instead, so the two agree for different reasons), claims.py, proofs.py; and beyond.py for trackers,
shadows, bars, guarded bounds and trees of potentials: whoever does not want to read it may delete
it, and is told "not covered" where it is needed.
"""
import sys
import traceback

from form import read_certificates
from system import System
from ways import NotCovered, Refused, Unreadable

try:
    from beyond import Beyond as Prover
except ImportError:            # the core alone
    from proofs import Prover

SINGLE_VALUES = 16, 300        # sets up to this size are taken value by value, others by intervals


def check(system, text, single):
    """What is accepted, in words."""
    words = []
    for certificate in read_certificates(text):
        if certificate.model != system.fingerprint:
            raise Unreadable("R1: the certificate is for another model")
        transitions = Prover(system, certificate, single).transitions
        words.append(f"{len(certificate.proofs)} proofs, {len(transitions)} transitions")
    return "accepted: " + "; ".join(words)


def judge(automata, path):
    """The exit code for one file, and why. What few cases do not show many may."""
    for single in SINGLE_VALUES:
        try:
            with open(automata, encoding="utf-8") as system, open(path, encoding="utf-8") as file:
                return 0, check(System(system.read()), file.read(), single)
        except Refused as refused:
            answer = 1, f"refused: {refused}"
        except (NotCovered, RecursionError) as what:
            answer = 3, f"not covered: {what}"
        except (Unreadable, OSError, UnicodeDecodeError) as error:
            return 2, f"error: {error}"
        except Exception:          # a defect must not look like an answer
            traceback.print_exc()
            return 4, "error: this is a defect of the checker"
    return answer


def main(arguments):
    if len(arguments) < 3:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    sys.setrecursionlimit(20_000)
    codes = []
    for path in arguments[2:]:
        code, words = judge(arguments[1], path)
        print(words if len(arguments) == 3 else f"{path}: {words}", flush=True)
        codes.append(code)
    return max(codes, key=[0, 3, 1, 2, 4].index)


if __name__ == "__main__":
    sys.exit(main(sys.argv))
