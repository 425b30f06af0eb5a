"""The certificate, read as its schema says (docs/schema/plimsoll-certificate-2.json). What is not in the schema is refused."""
import hashlib
import json
import os

from sets import Set, Unreadable, demand

with open(os.path.join(os.path.dirname(__file__), "../docs/schema/plimsoll-certificate-2.json"), encoding="utf-8") as _file:
    FORMS = json.load(_file)["$defs"]


class Record:
    """The fields of an object of the certificate."""


def read(form, value, where):
    """The value, if it has the form: objects as records, kinds as (word, contents), sets as sets."""
    def fail(what):
        raise Unreadable(f"{where}: {what}")
    if "$ref" in form:
        name = form["$ref"].split("/")[-1]
        found = read(FORMS[name], value, where)
        return set_of(found, where) if name == "values" else found
    if "oneOf" in form:
        if value is None and {"type": "null"} in form["oneOf"]:
            return None
        kinds = {word: None for kind in form["oneOf"] for word in kind.get("enum", ())}
        kinds.update({kind["required"][0]: kind for kind in form["oneOf"] if "required" in kind})
        if not kinds:                               # a number or null
            return read(form["oneOf"][1], value, where)
        word = value if isinstance(value, str) else next(iter(value), None) if isinstance(value, dict) else None
        if word not in kinds or (kinds[word] is None) != isinstance(value, str):
            fail(f"expected one of {', '.join(kinds)}")
        return (word, kinds[word] and getattr(read(kinds[word], value, where), word))
    if value not in form.get("enum", [value]) or value != form.get("const", value):
        fail(f"`{value}` is not known")
    kind = form.get("type", "string")
    if type(value) is not {"string": str, "integer": int, "array": list, "object": dict}[kind]:
        fail(f"expected: {kind}")
    if kind == "integer" and not form["minimum"] <= value <= form["maximum"]:
        fail("a number that is too large or too small")
    if kind == "array":
        if not form.get("minItems", 0) <= len(value) <= form.get("maxItems", len(value)):
            fail("a list that is too long or too short")
        found = [read(form["items"], item, f"{where}[{i}]") for i, item in enumerate(value)]
        return tuple(found) if "maxItems" in form else found
    if kind != "object":
        return value
    fields = form["properties"]
    wrong = set(value) - set(fields) or set(form["required"]) - set(value)
    if wrong:
        fail(f"`{min(wrong)}` is not known or is missing")
    record = Record()
    for name, inner in fields.items():
        missing = [] if inner.get("type") == "array" and "maxItems" not in inner else None
        given = name in value and (value[name] is not None or name in form["required"] or missing == [])
        setattr(record, name, read(inner, value[name], f"{where}.{name}") if given else missing)
    return record


def set_of(found, where):
    ints, chans = found.integers, found.channels
    in_order = all(a <= b for a, b in ints) and all(p[1] + 1 < q[0] for p, q in zip(ints, ints[1:]))
    demand(in_order and all(a < b for a, b in zip(chans, chans[1:])), 3, f"{where}: a set is not in its one form")
    return Set(tuple(ints), frozenset(chans))


def read_certificates(text):
    def no_twins(pairs):
        if len(dict(pairs)) != len(pairs):
            raise Unreadable("a field is given twice")
        return dict(pairs)
    try:
        data = json.loads(text, object_pairs_hook=no_twins)
    except ValueError as error:
        raise Unreadable(f"this is no JSON: {error}") from error
    if data == []:
        raise Unreadable("R2: an empty list of certificates proves nothing")
    certificates = []
    for value in data if isinstance(data, list) else [data]:
        certificate = read({"$ref": "certificate"}, value, "certificate")
        unsealed = json.dumps({**value, "seal": ""}, separators=(",", ":"), ensure_ascii=False)
        demand(certificate.seal == hashlib.sha256(unsealed.encode()).hexdigest(), 1, "the seal does not fit")
        certificates.append(certificate)
    return certificates
