"""Arithmetic without `eval`: a few kinds of syntax nodes, and limits on sizes."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from typing import Any

from app.tools.tool import ToolError

LONGEST = 1000  # characters
_MOST_BITS = 4096  # of a whole number on the way: larger ones take seconds and memory

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}
_MOST_DIGITS = 1300  # no number here has more before its point, nor after it
_NAMES = {"pi": math.pi, "e": math.e, "tau": math.tau}


def _round(number: int | float, digits: int | float | None = None) -> int | float:
    """As Python's, whose time grows with the digits that it is to leave out, not with the number.

    Beyond so many digits either way there is nothing of a number: the result is the same.
    """
    if not isinstance(digits, int):
        return round(number, digits)  # type: ignore[arg-type]  # a TypeError, as Python says it
    return round(number, max(-_MOST_DIGITS, min(digits, _MOST_DIGITS)))


# Each takes microseconds for numbers of at most `_MOST_BITS`, whatever they are.
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "round": _round,
    "min": min,
    "max": max,
    "gcd": math.gcd,
    **{
        name: getattr(math, name)
        for name in (
            *("sqrt", "cbrt", "exp", "log", "log2", "log10", "hypot", "floor", "ceil"),
            *("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh"),
            *("degrees", "radians"),
        )
    },
}


def calculate(expression: str) -> str:
    """The value of an arithmetic expression. Raises ToolError with the reason."""
    text = expression.replace("^", "**").replace("×", "*").replace("÷", "/").replace("−", "-")
    if not text.strip() or len(text) > LONGEST:
        raise ToolError(f"Give an expression of 1 to {LONGEST:,} characters.")
    try:
        tree = ast.parse(text.strip(), mode="eval")
        value = _value(tree.body)
    except ToolError:
        raise
    except (SyntaxError, ValueError, TypeError, ArithmeticError, RecursionError, MemoryError) as e:
        why = "it makes no sense" if isinstance(e, SyntaxError | TypeError) else str(e)
        raise ToolError(f"That cannot be calculated: {why}.") from e
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value)


def _value(node: ast.expr) -> int | float:
    found: Any = None
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        found = node.value
    elif isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        left, right = _value(node.left), _value(node.right)
        if isinstance(node.op, ast.Pow):
            _check_power(left, right)
        found = _BINARY[type(node.op)](left, right)
    elif isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
        found = _UNARY[type(node.op)](_value(node.operand))
    elif isinstance(node, ast.Name) and node.id in _NAMES:
        found = _NAMES[node.id]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if (function := _FUNCTIONS.get(node.func.id)) is None:
            raise ToolError(f"There is no function “{node.func.id[:40]}”.")
        found = function(*map(_value, node.args))
    if isinstance(found, int) and found.bit_length() <= _MOST_BITS:
        return found
    if isinstance(found, float):
        return found
    raise ToolError("Only numbers, + - * / // % **, brackets and the usual functions are known.")


def _check_power(base: int | float, exponent: int | float) -> None:
    whole = isinstance(base, int) and isinstance(exponent, int)
    if whole and abs(exponent) * max(base.bit_length() if isinstance(base, int) else 0, 1) > (
        _MOST_BITS
    ):
        raise ToolError("That number would be too large.")
