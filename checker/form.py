"""The certificate, read as its schema says (docs/schema/plimsoll-certificate-2.json).

What is not in the schema is refused. An object becomes a record with its fields; where the schema
knows several kinds, a pair of the kind and its contents; a set of values a `Set`.
"""
import hashlib
import json
import os
from types import SimpleNamespace

from ways import FIRST_CHANNEL, Set, Unreadable, demand

PATH = os.path.join(os.path.dirname(__file__), "../docs/schema/plimsoll-certificate-2.json")
with open(PATH, encoding="utf-8") as _file:
    FORMS = json.load(_file)["$defs"]
TYPES = {"string": str, "integer": int, "array": list, "object": dict, "null": type(None)}


def is_of(form, value):
    """Whether the value has the form, seen from outside."""
    if "enum" in form or "const" in form:
        return value in form.get("enum", [form.get("const")])
    return type(value) is TYPES[form["type"]] and {
        "integer": lambda: form["minimum"] <= value <= form["maximum"],
        "array": lambda: form.get("minItems", 0) <= len(value) <= form.get("maxItems", len(value)),
        "object": lambda: set(form["required"]) <= set(value) <= set(form["properties"]),
    }.get(form["type"], lambda: True)()


def read(form, value):
    if "$ref" in form:
        name = form["$ref"].split("/")[-1]
        found = read(FORMS[name], value)
        return set_of(found) if name == "values" else found
    kinds = [kind for kind in form.get("oneOf", [form]) if is_of(kind, value)]
    if not kinds:
        raise Unreadable(f"not of a form that is known: {json.dumps(value)[:60]}")
    if "oneOf" in form:
        if "enum" in kinds[0]:
            return value, None
        found = read(kinds[0], value)
        return vars(found).popitem() if "required" in kinds[0] else found
    if isinstance(value, list):
        found = [read(form["items"], item) for item in value]
        return tuple(found) if "maxItems" in form else found
    if not isinstance(value, dict):
        return value
    record = SimpleNamespace()
    for name, inner in form["properties"].items():
        missing = [] if inner.get("type") == "array" and "maxItems" not in inner else None
        strict = name in form["required"] or missing == []
        given = name in value and (strict or value[name] is not None)
        setattr(record, name, read(inner, value[name]) if given else missing)
    return record


def set_of(found):
    """R3: sorted intervals that do not touch."""
    channels = [FIRST_CHANNEL + 2 * number for number in found.channels]
    values = Set([*found.integers, *zip(channels, channels)])
    in_order = all(low <= high for low, high in values) and all(
        before[1] + 1 < after[0] for before, after in zip(values, values[1:]))
    demand(in_order, 3, "a set is not in its one form")
    return values


def no_twins(pairs):
    if len(dict(pairs)) != len(pairs):
        raise Unreadable("a field is given twice")
    return dict(pairs)


def whole(text):
    return float(text) if text == "-0" else int(text)      # -0 is no way to write 0


def read_certificates(text):
    """R1, R2: sealed, and at least one."""
    try:
        data = json.loads(text, object_pairs_hook=no_twins, parse_int=whole)
    except ValueError as error:
        raise Unreadable(f"this is no JSON: {error}") from error
    if data == []:
        raise Unreadable("R2: an empty list of certificates proves nothing")
    for value in data if isinstance(data, list) else [data]:
        certificate = read({"$ref": "certificate"}, value)
        unsealed = json.dumps({**value, "seal": ""}, separators=(",", ":"), ensure_ascii=False)
        seal = hashlib.sha256(unsealed.encode()).hexdigest()
        demand(certificate.seal == seal, 1, "the seal does not fit")
        yield certificate
