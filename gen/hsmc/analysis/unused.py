# SPDX-License-Identifier: MIT
"""What a spec declares and does not need: warnings, given only when it has no errors."""

from __future__ import annotations

from typing import Sequence

from ..frontend import ast
from ..frontend.context import Context
from ..frontend.machines import Machine


def check_unused(context: Context, machines: Sequence[Machine]) -> None:
    """Warnings; only asked for when the spec has no errors."""
    for node in context.spec.declarations:
        name, span = node.name.text, node.name.span
        if isinstance(node, ast.Constant):
            if not node.external and ("constant", name) not in context.used:
                context.error(
                    "HSM0701",
                    span,
                    f"constant '{name}' is not used; if host or runtime need it: external constant",
                )
        elif isinstance(node, ast.Parameter):
            if ("parameter", name) not in context.used:
                context.error("HSM0702", span, f"parameter '{name}' is not used")
        elif isinstance(node, ast.Counter):
            if ("counter", name) not in context.used:
                context.error("HSM0703", span, f"counter '{name}' never counts")
        elif isinstance(node, (ast.Function, ast.Action, ast.Device)):
            kind = (
                "function"
                if isinstance(node, ast.Function)
                else "action"
                if isinstance(node, ast.Action)
                else "device"
            )
            if (kind, name) not in context.used:
                context.error("HSM0704", span, f"{kind} '{name}' is not used")
            elif kind != "device":
                for argument in node.arguments:
                    if (f"argument of {name}", argument.name.text) not in context.used:
                        context.error(
                            "HSM0708",
                            argument.name.span,
                            f"argument '{argument.name.text}' of {kind} '{name}' is not used",
                        )
        elif isinstance(node, ast.Payload):
            passed_to_device = any(
                entry.startswith(f"{name}>device ")
                for entry in context.payloads_passed_on
            )
            for field in node.fields:
                if (
                    not passed_to_device
                    and (name, field.name.text) not in context.fields_read
                ):
                    context.error(
                        "HSM0705",
                        field.name.span,
                        f"field '{field.name.text}' of payload '{name}' is never read",
                    )
        elif isinstance(node, (ast.Pool, ast.Table)):
            _check_fields(context, name, node.fields, "field")
        elif isinstance(node, ast.Process):
            _check_fields(context, name, node.variables, "variable")
    for body in [*context.bodies.values(), *(m.body for m in machines)]:
        for local, span in body.local_spans:
            if id(local) not in context.locals_used:
                context.error("HSM0708", span, f"local name '{local.name}' is not used")


def _check_fields(
    context: Context, owner: str, fields: Sequence[ast.Field], what: str
) -> None:
    for field in fields:
        name = field.name.text
        if (owner, name) not in context.fields_read:
            context.error(
                "HSM0706",
                field.name.span,
                f"{what} '{name}' of '{owner}' is never read",
            )
        if (owner, name) not in context.fields_written:
            context.error(
                "HSM0707",
                field.name.span,
                f"{what} '{name}' of '{owner}' is never written",
            )
