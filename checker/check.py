#!/usr/bin/env python3
"""A second checker of Plimsoll's certificates: small, slow, and with nothing in common with the first but the rules.

    plimsoll graph MODEL --format system > system.txt
    plimsoll bounds MODEL --certificate bounds.json
    python3 check.py system.txt bounds.json ...

It reads the text form of the automata (docs/system-text.md) and a certificate, and checks the rules of
docs/certificates.md; R1, R2, ... below are the numbers of that page. It needs Python 3 and nothing else.

Exit code: 0 accepted, 1 refused, 2 not readable or for another model, 3 not covered (this checker cannot tell), 4 a defect
of this checker; the worst of them for several certificates.

The core, from the bottom: sets.py, system.py (the automata), form.py (the certificate), machine.py (what a statement may
do, executed case by case; the first checker computes with sets for each variable instead, so the two agree for different
reasons), claims.py, proofs.py. What is beyond the core is in beyond.py: whoever does not want to read it may delete it.
"""
import sys
import traceback

from form import read_certificates
from sets import NotCovered, Refused, Unreadable
from system import System

try:
    from beyond import Checker, Prover
except ImportError:            # the core alone
    from claims import Checker
    from proofs import Prover

SINGLE_VALUES = 16, 300        # sets up to this size are taken value by value, larger ones by intervals


def check(system, text):
    """What is accepted, in words. First with few cases for a statement; what is refused then may be accepted with many."""
    for single in SINGLE_VALUES:
        try:
            certificates, words = read_certificates(text), []
            for certificate in certificates:
                if certificate.model != system.fingerprint:
                    raise Unreadable("R1: the certificate is for another model")
                checker = Checker(system, certificate, single)
                Prover(checker)
                words.append(f"{len(certificate.proofs)} proofs, {len(checker.transitions)} transitions")
            return "; ".join(words)
        except (Refused, NotCovered):
            if single == SINGLE_VALUES[-1]:
                raise
    return None


def judge(system, path):
    """The exit code for one file, and why."""
    try:
        with open(path, encoding="utf-8") as file:
            return 0, "accepted: " + check(system, file.read())
    except Refused as refused:
        return 1, f"refused: {refused}"
    except NotCovered as what:
        return 3, f"not covered: {what}"
    except RecursionError:
        return 3, "not covered: nested too deeply"
    except (Unreadable, OSError, UnicodeDecodeError) as error:
        return 2, f"error: {error}"
    except Exception:                                   # noqa: a defect must not look like an answer
        traceback.print_exc()
        return 4, "error: this is a defect of the checker"


def main(arguments):
    if len(arguments) < 3:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    sys.setrecursionlimit(20_000)
    try:
        with open(arguments[1], encoding="utf-8") as file:
            system = System(file.read())
    except (Unreadable, OSError, UnicodeDecodeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    worst = 0
    for path in arguments[2:]:
        code, words = judge(system, path)
        print(words if len(arguments) == 3 else f"{path}: {words}", flush=True)
        worst = max(worst, code, key=[0, 3, 1, 2, 4].index)
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv))
