"""The form of a certificate: every field that there is. What is not here is refused."""
import hashlib
import json

from sets import MAX, MIN, Refused, Set, Unreadable, demand

SCHEMA = "plimsoll-certificate/2"
# Field, type, and whether it may be left out. Types: a range of integers, a name below, [type] for a list,
# (types...) for a list of that length, {tag: type} for one of several kinds (None: the tag alone, as a text).
U32, U64, I32, I64 = (0, 2**32 - 1), (0, 2**64 - 1), (MIN, MAX), (-2**63, 2**63 - 1)
RANGES = {"u32": U32, "u64": U64, "i32": I32, "i64": I64}
FORMAT = {
    "certificate": [("schema", "text"), ("model", "text"), ("seal", "text"),
                    ("capacities", {"any": None, "declared": None}), ("claims", "claims"), ("proofs", ["proof"])],
    "claims": [("objects", ["object"]), ("globals", ["values"]), ("groups", ["group"]), ("trackers", ["tracker"], []),
               ("auxiliaries", ["auxiliary"], []), ("bars", ["bar"], [])],
    "object": [("place", {"global": "global", "local": "local"}), ("classes", [["values"]])],
    "global": [("slot", "u32")],
    "local": [("group", "u32"), ("slot", "u32")],
    "values": [("integers", [("i32", "i32")], []), ("channels", ["u32"], [])],
    "group": [("automaton", "u32"), ("at_most", "u32?"), ("pid", "values"), ("slots", ["values"]),
              ("shadows", ["shadow"], []), ("nodes", ["node"])],
    "node": [("point", {"at": "u32", "inside": "inside"}), ("locals", ["listed"], []), ("globals", ["listed"], []),
             ("shadows", ["u32"], [])],
    "inside": [("edge", "u32"), ("step", "u32")],
    "listed": [("slot", "u32"), ("values", "values")],
    "tracker": [("slots", ["u32"]), ("nodes", [["values"]])],
    "auxiliary": [("group", "u32"), ("nodes", ["node"])],
    "shadow": [("object", "u32"), ("sender", "u32")],
    "bar": [("total", "i64"), ("potential", "potential")],
    "potential": [("messages", ["message weight"]), ("nodes", ["node weight"]), ("trackers", ["tracker weight"], [])],
    "message weight": [("object", "u32"), ("class", "u32"), ("weight", "i64")],
    "node weight": [("group", "u32"), ("node", "u32"), ("weight", "i64")],
    "tracker weight": [("tracker", "u32"), ("node", "u32"), ("weight", "i64")],
    "proof": {"bound": "bound", "guarded": "guarded", "bounds": "bounds", "starts": "starts",
              "all_bounded": "all_bounded", "livelock_free": "livelock_free"},
    "bound": [("object", "u32"), ("at_most", "u64"), ("cases", ["case"])],
    "case": [("after", "arrival", None), ("denominator", "i64"), ("potential", "potential")],
    "arrival": [("group", "u32"), ("nodes", ["u32"])],
    "guarded": [("object", "u32"), ("at_most", "u64"), ("sender", "u32"), ("known", ["known"])],
    "known": [("node", "u32"), ("at_most", "u64")],
    "bounds": [("buffers", ["buffer"]), ("potential", "potential")],
    "buffer": [("object", "u32"), ("at_most", "u64")],
    "starts": [("group", "u32"), ("at_most", "u64"), ("denominator", "i64"), ("potential", "potential")],
    "all_bounded": [("stage", "stage")],
    "livelock_free": [("progress", {"labels": None, "at": ["statement"]}), ("stage", "stage")],
    "statement": [("automaton", "u32"), ("edge", "u32"), ("inside", ("u32", "u32"), None)],
    "stage": [("potential", "potential"), ("next", {"closed": None, "split": "split"})],
    "split": [("component", {"group": "u32", "tracker": "u32"}), ("parts", ["stage"])],
}


class Record:
    """The fields of an object of the certificate."""


def read(form, value, where="certificate"):
    """The value if it has the form, and the one way to write it. Anything that is not in the form is refused."""
    def fail(what):
        raise Unreadable(f"{where}: {what}")
    if isinstance(form, list):
        if not isinstance(value, list):
            fail("expected a list")
        both = [read(form[0], item, f"{where}[{i}]") for i, item in enumerate(value)]
        return [item for item, _ in both], [plain for _, plain in both]
    if isinstance(form, tuple):
        if not isinstance(value, list) or len(value) != len(form):
            fail(f"expected a list of {len(form)}")
        both = [read(f, item, where) for f, item in zip(form, value)]
        return tuple(item for item, _ in both), [plain for _, plain in both]
    if isinstance(form, dict):
        return read_kind(form, value, where, fail)
    if form == "text":
        if not isinstance(value, str):
            fail("expected a text")
        return value, value
    if form.endswith("?"):
        return (None, None) if value is None else read(form[:-1], value, where)
    if form in RANGES:
        low, high = RANGES[form]
        if type(value) is not int or not low <= value <= high:
            fail(f"expected a number from {low} to {high}")
        return value, value
    if isinstance(FORMAT[form], dict):
        return read_kind(FORMAT[form], value, where, fail)
    return read_record(FORMAT[form], value, where, fail)


def read_kind(kinds, value, where, fail):
    if isinstance(value, str):
        if value not in kinds or kinds[value] is not None:
            fail(f"`{value}` is not known")
        return (value, None), value
    if not isinstance(value, dict) or len(value) != 1:
        fail(f"expected one of {', '.join(kinds)}")
    [(tag, inner)] = value.items()
    if kinds.get(tag) is None:
        fail(f"`{tag}` is not known")
    item, plain = read(kinds[tag], inner, f"{where}.{tag}")
    return (tag, item), {tag: plain}


def read_record(fields, value, where, fail):
    if not isinstance(value, dict):
        fail("expected an object")
    unknown = set(value) - {field[0] for field in fields}
    if unknown:
        fail(f"`{min(unknown)}` is not known")
    record, plain = Record(), {}
    for name, form, *default in fields:
        if name not in value and not default and not (isinstance(form, str) and form.endswith("?")):
            fail(f"`{name}` is missing")
        if name not in value or (default and value[name] is None and default[0] is None):
            item = default[0] if default else None
            if not default:
                plain[name] = None
        else:
            item, written = read(form, value[name], f"{where}.{name}")
            if not default or (written != [] if default[0] == [] else True):
                plain[name] = written
        setattr(record, name, item)
    if fields is FORMAT["values"]:
        ints, chans = record.integers, record.channels
        sorted_ = all(a <= b for a, b in ints) and all(p[1] + 1 < q[0] for p, q in zip(ints, ints[1:]))
        demand(sorted_ and all(a < b for a, b in zip(chans, chans[1:])), 3, f"{where}: a set is not in its one form")
        record = Set(tuple(ints), frozenset(chans))
    return record, plain


def read_certificates(text):
    def no_twins(pairs):
        if len(dict(pairs)) != len(pairs):
            raise Unreadable("a field is given twice")
        return dict(pairs)
    try:
        data = json.loads(text, object_pairs_hook=no_twins)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"this is no JSON: {error}") from error
    if data == []:
        raise Refused("R2: an empty list of certificates proves nothing")
    certificates = []
    for value in data if isinstance(data, list) else [data]:
        if isinstance(value, dict) and value.get("schema") != SCHEMA:
            raise Unreadable(f"the schema is not {SCHEMA}")
        certificate, plain = read("certificate", value)
        plain["seal"] = ""
        compact = json.dumps(plain, separators=(",", ":"), ensure_ascii=False)
        demand(certificate.seal == hashlib.sha256(compact.encode()).hexdigest(), 1, "the seal does not fit")
        certificates.append(certificate)
    return certificates
