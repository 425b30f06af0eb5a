#!/usr/bin/env python3
"""Is every check of core.py needed? Removes them one by one and looks who notices.

    PLIMSOLL_KEEP_CERTIFICATES=/tmp/kept cargo test -p proofs --test second_checker
    python3 mutants.py /tmp/kept

A mutant is core.py without one `demand`, `cover` or `stop_unless`, or without one operand of an
`and` or `or`. It is killed by a certificate of which it says something else than the first checker
(to say "not covered" is no answer), or which it cannot judge at all. The survivors are printed;
EXPLAINED says why some are right to survive. Exit code: 0 if all others were killed.
"""
import ast
import resource
import signal
import sys
from pathlib import Path

CORE = Path(__file__).parent / "core.py"
CHECKS = ("demand", "cover", "stop_unless")
SECONDS, BYTES = 20, 2**29     # for one certificate: who needs more does not end
EXPLAINED = {
    "another version of the text form": "there is one version, and only another could be read wrongly",
}


def is_check(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) \
        and getattr(node.value.func, "id", None) in CHECKS


def mutants(source):
    """For each: the line, what is removed, the tree, and whether that is a whole check."""
    places = [(number, None) for number, node in enumerate(ast.walk(ast.parse(source)))
              if is_check(node)]
    places += [(number, operand) for number, node in enumerate(ast.walk(ast.parse(source)))
               if isinstance(node, ast.BoolOp) for operand in range(len(node.values))]
    for number, operand in places:
        tree = ast.parse(source)
        node = list(ast.walk(tree))[number]
        if operand is None:
            removed = node.value
            node.value = ast.copy_location(ast.Constant(None), node)
        else:
            removed = node.values.pop(operand)
            if len(node.values) == 1:
                node.values *= 2         # the one that is left, and nothing else
        yield removed.lineno, ast.unparse(removed), tree, operand is None


def too_long(*_):
    raise TimeoutError


def load(tree):
    """The module as a name space."""
    names = {"__name__": "core", "__file__": str(CORE)}
    exec(compile(ast.fix_missing_locations(tree), str(CORE), "exec"), names)
    return names


def answer(names, automata, path):
    try:
        signal.alarm(SECONDS)
        return names["judge"](automata, path)[1].split(":")[0]
    except Exception as error:
        return type(error).__name__
    finally:
        signal.alarm(0)


def cases(folder):
    """(automata, certificate, what the first checker says), forgeries before what is changed and
    what is genuine: these are many."""
    order = ["changed-by-hand", "forged", "beyond", "changed", "genuine"]
    found = sorted(Path(folder).glob("*/*/answers"), key=lambda p: order.index(p.parts[-3]))
    for answers in found:
        for number, said in enumerate(answers.read_text().split()):
            yield answers.parent / "system.txt", answers.parent / f"{number}.json", said.lower()


def recorded(names, case, failed):
    """The answer; `failed` is told in which lines a check failed."""
    def recording(check):
        def checked(holds, *rest):
            if not holds:
                failed.setdefault(sys._getframe(1).f_lineno, {})[case] = None
            return check(holds, *rest)
        return checked
    plain = {name: names[name] for name in CHECKS}
    names.update({name: recording(check) for name, check in plain.items()})
    try:
        return answer(names, *case[:2])
    finally:
        names.update(plain)


def main(folder):
    signal.signal(signal.SIGALRM, too_long)
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    source = CORE.read_text(encoding="utf-8")
    known, failed = list(cases(folder)), {}
    original = load(ast.parse(source))
    wrong = [path for automata, path, said in known
             if recorded(original, (automata, path, said), failed) not in (said, "not covered")]
    print(f"{len(known)} certificates; wrong without any change: {wrong}", flush=True)
    total, survivors, unexplained = 0, 0, 0
    for line, what, tree, is_whole in mutants(source):
        total += 1
        names = load(tree)
        # A check that is removed is missed only where it failed.
        killer = next((path for automata, path, said in (failed.get(line, ()) if is_whole else known)
                       if answer(names, automata, path) not in (said, "not covered")), None)
        if killer is None:
            survivors += 1
            why = next((why for text, why in EXPLAINED.items() if text in what), None)
            unexplained += why is None
            print(f"survives: line {line}: {what}: {why or 'NOT EXPLAINED'}", flush=True)
    print(f"{total} mutants, {total - survivors} killed, {survivors} survive, "
          f"{unexplained} of them without an explanation")
    return 1 if unexplained or wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else __doc__)
