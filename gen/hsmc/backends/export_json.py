# SPDX-License-Identifier: MIT
"""The intermediate form as JSON, and the JSON Schema that describes it; both follow from the classes in ir.py.

An object has the fields of its class, in order. Expressions, statements and types have `kind` in front, the name of
their class. Timers and locals are objects where they are declared (`timers` of the protocol, `locals` of their owner)
and names elsewhere.
"""

from __future__ import annotations

import dataclasses
import typing
from typing import Any, Iterator, Union

from .. import ir

# Of the form of the JSON. A field that goes or changes its meaning raises it, a new field does not.
SCHEMA_VERSION = 2
SCHEMA_NAME = "hsmc intermediate form"

TAGGED = (
    ir.ExpressionBase,
    ir.StatementBase,
    *typing.get_args(ir.Type),
)

# Unions with a definition of their own.
UNIONS: dict[str, tuple[type, ...]] = {
    "Expression": typing.get_args(ir.Expression),
    "Statement": typing.get_args(ir.Statement),
}


def as_json(protocol: ir.Protocol) -> dict[str, Any]:
    """What `hsmc export --format json` prints."""
    return {
        "schema": SCHEMA_NAME,
        "version": SCHEMA_VERSION,
        "protocol": _encoded(protocol),
    }


def _encoded(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_encoded(item) for item in value]
    if not dataclasses.is_dataclass(value):
        return value
    result: dict[str, Any] = {}
    if isinstance(value, TAGGED):
        result["kind"] = type(value).__name__
    for field in dataclasses.fields(value):
        part = getattr(value, field.name)
        if not _declares(type(value), field.name):
            part = _named(part)
        result[field.name] = _encoded(part)
    return result


def _declares(owner: type, field: str) -> bool:
    """Are timers and locals in this field objects?"""
    return field == "locals" or (owner is ir.Protocol and field == "timers")


def _named(value: Any) -> Any:
    """Names instead of timers and locals."""
    if isinstance(value, tuple):
        return tuple(_named(item) for item in value)
    if isinstance(value, ir.Timer):
        return value.name
    if isinstance(value, ir.Local):
        return value.unique
    return value


# --- the schema


def schema() -> dict[str, Any]:
    """JSON Schema, draft 7."""
    definitions: dict[str, Any] = {}
    for kind in _classes():
        definitions[kind.__name__] = _definition(kind)
    for name, kinds in UNIONS.items():
        names = sorted(kind.__name__ for kind in kinds)
        definitions[name] = {"oneOf": [_reference(kind) for kind in names]}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": SCHEMA_NAME,
        "type": "object",
        "properties": {
            "schema": {"const": SCHEMA_NAME},
            "version": {"const": SCHEMA_VERSION},
            "protocol": _reference(ir.Protocol.__name__),
        },
        "required": ["schema", "version", "protocol"],
        "additionalProperties": False,
        "definitions": dict(sorted(definitions.items())),
    }


def _classes() -> Iterator[type]:
    """All classes that become objects."""
    found = [ir.Protocol, *(kind for kinds in UNIONS.values() for kind in kinds)]
    seen: set[type] = set()
    while found:
        kind = found.pop()
        if kind in seen:
            continue
        seen.add(kind)
        yield kind
        for field, hint in _hints(kind).items():
            found += [
                k
                for k in _classes_in(hint)
                if _declares(kind, field) or k not in (ir.Timer, ir.Local)
            ]


def _classes_in(hint: Any) -> Iterator[type]:
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        yield hint
    for part in typing.get_args(hint):
        yield from _classes_in(part)


def _hints(kind: type) -> dict[str, Any]:
    hints = typing.get_type_hints(kind, vars(ir))
    assert dataclasses.is_dataclass(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


def _definition(kind: type) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    if issubclass(kind, TAGGED):
        properties["kind"] = {"const": kind.__name__}
    for field, hint in _hints(kind).items():
        properties[field] = _schema_of(hint, _declares(kind, field))
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _schema_of(hint: Any, declares: bool) -> dict[str, Any]:
    arguments = typing.get_args(hint)
    origin = typing.get_origin(hint)
    if origin is Union:
        parts: list[dict[str, Any]] = []
        for name, kinds in UNIONS.items():
            if set(kinds) <= set(arguments):
                parts.append(_reference(name))
                arguments = tuple(part for part in arguments if part not in kinds)
        parts += [_schema_of(part, declares) for part in arguments]
        return {"anyOf": parts} if len(parts) > 1 else parts[0]
    if origin is typing.Literal:
        return {"enum": list(arguments)}
    if origin is tuple and arguments[-1] is Ellipsis:
        return {"type": "array", "items": _schema_of(arguments[0], declares)}
    if origin is tuple:
        return {
            "type": "array",
            "items": [_schema_of(part, declares) for part in arguments],
            "minItems": len(arguments),
            "maxItems": len(arguments),
        }
    if hint in (ir.Timer, ir.Local) and not declares:
        return {"type": "string"}
    if dataclasses.is_dataclass(hint):
        return _reference(hint.__name__)
    return {
        "type": {str: "string", int: "integer", bool: "boolean", type(None): "null"}[
            hint
        ]
    }


def _reference(name: str) -> dict[str, Any]:
    return {"$ref": f"#/definitions/{name}"}
