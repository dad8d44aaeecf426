"""Built-in tools: date, calculator, web pages, folders, Python."""

from __future__ import annotations

import ast
import math
import operator
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from app.settings.language import mark, tr
from app.tools import granted_folders
from app.tools.consent import Grant
from app.tools.fetch import fetch
from app.tools.granted_folders import Difference
from app.tools.tool import (
    BUILT_IN,
    Outcome,
    OutcomeKind,
    Tool,
    ToolError,
    to_visible_line,
)
from engine.sandbox.protocol import RefusedError
from engine.sandbox.python_cell import run_python


def now() -> str:
    """Return the day, date, time and time zone, followed by the ISO 8601 format."""
    time = datetime.now().astimezone()
    return f"{time:%A, %d %B %Y, %H:%M} {time:%Z} ({time.isoformat(timespec='seconds')})"


LONGEST = 1000  # characters
_MOST_BITS = 4096  # bits of intermediate integers; larger numbers take too long

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
_MOST_DIGITS = 1300  # maximum digits before and after the decimal point
_NAMES = {"pi": math.pi, "e": math.e, "tau": math.tau}


def _round(number: int | float, digits: int | float | None = None) -> int | float:
    """Round a number as Python does, but limit the digits, because more digits take more time."""
    if not isinstance(digits, int):
        return round(number, digits)  # type: ignore[arg-type]  # same TypeError as in Python
    return round(number, max(-_MOST_DIGITS, min(digits, _MOST_DIGITS)))


# These functions take microseconds for numbers up to `_MOST_BITS`.
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
    """Evaluate an arithmetic expression. Raises ToolError with the reason."""
    text = expression.replace("^", "**").replace("×", "*").replace("÷", "/").replace("−", "-")
    if not text.strip() or len(text) > LONGEST:
        raise ToolError(mark("An expression has 1 to {most} characters."), most=f"{LONGEST:,}")
    try:
        tree = ast.parse(text.strip(), mode="eval")
        value = _value(tree.body)
    except ToolError:
        raise
    except (SyntaxError, ValueError, TypeError, ArithmeticError, RecursionError, MemoryError) as e:
        invalid = isinstance(e, SyntaxError | TypeError)
        reason = ToolError(mark("the expression isn’t valid")) if invalid else str(e)
        raise ToolError(mark("This can’t be calculated: {why}."), why=reason) from e
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value)


def _value(node: ast.expr) -> int | float:
    value: Any = None
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        value = node.value
    elif isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        left_value, right = _value(node.left), _value(node.right)
        if isinstance(node.op, ast.Pow):
            _check_power(left_value, right)
        value = _BINARY[type(node.op)](left_value, right)
    elif isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
        value = _UNARY[type(node.op)](_value(node.operand))
    elif isinstance(node, ast.Name) and node.id in _NAMES:
        value = _NAMES[node.id]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if (function := _FUNCTIONS.get(node.func.id)) is None:
            raise ToolError(mark("There’s no function “{name}”."), name=node.func.id[:40])
        value = function(*map(_value, node.args))
    if isinstance(value, int) and value.bit_length() <= _MOST_BITS:
        return value
    if isinstance(value, float):
        return value
    raise ToolError(
        mark("Only numbers, + - * / // % **, brackets, and common functions are supported.")
    )


def _check_power(base: int | float, exponent: int | float) -> None:
    are_integers = isinstance(base, int) and isinstance(exponent, int)
    if are_integers and abs(exponent) * max(int(base).bit_length(), 1) > _MOST_BITS:
        raise ToolError(mark("The number is too large."))


Arguments = dict[str, Any]


class CallContext(Struct, frozen=True):
    grants: Sequence[Grant] = ()  # folders granted in this chat
    seen: str = ""  # digest of the file diff shown to the user


class BuiltinTool(Struct, frozen=True):
    tool: Tool
    # None if the chat runs the tool, see `app.chats.tool_call_runner`.
    work: Callable[[Arguments, CallContext], str | Outcome] | None
    # Computes the effect of a call, shown beforehand if the arguments don't make it obvious.
    preview: Callable[[Arguments, CallContext], Difference] | None = None
    # Raises ToolError if the call can't run right now.
    check: Callable[[Arguments, CallContext], None] | None = None


class Obstacle(Struct, frozen=True):
    words: str  # text for the user
    model_text: str  # text for the model
    # The read-only folder, if only a write permission is missing.
    folder: Path | None = None
    outside: bool = False  # the path isn't in any of the chat's folders


class ToolLabels(Struct, frozen=True):
    title: str
    about: str  # description in one sentence
    question: str  # heading of a call that waits for consent
    # Argument labels by name, "" for arguments without a label.
    labels: Mapping[str, str] = field(default_factory=dict)
    plain: str = ""  # heading without arguments, if different
    # Labels for argument values, by argument name.
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


LABELS = {
    "date": ToolLabels(
        mark("Date and Time"),
        mark("Gets the date, time, and time zone."),
        mark("Get the date and time?"),
    ),
    "calculate": ToolLabels(
        mark("Calculator"),
        mark("Does arithmetic."),
        mark("Calculate this?"),
        {"expression": ""},
    ),
    "list_folder": ToolLabels(
        mark("List Folders"),
        mark("Lists the files in this chat’s folders."),
        mark("List this folder?"),
        {"path": ""},
        mark("List this chat’s folders?"),
    ),
    "read_file": ToolLabels(
        mark("Read Files"),
        mark("Reads text files in this chat’s folders."),
        mark("Read this file?"),
        {"path": ""},
    ),
    "search_files": ToolLabels(
        mark("Search Files"),
        mark("Finds files by name, or by the text in them."),
        mark("Search this chat’s folders?"),
        {"name": mark("Name"), "text": mark("Text"), "path": mark("Folder")},
    ),
    "write_file": ToolLabels(
        mark("Write Files"),
        mark("Creates and changes text files. You see every change first."),
        mark("Write this file?"),
        {"path": "", "text": mark("Text")},
    ),
    "fetch": ToolLabels(
        mark("Web Pages"),
        mark("Fetches the text of a public web page."),
        mark("Fetch this page?"),
        {"url": ""},
    ),
    "python": ToolLabels(
        mark("Python"),
        mark("Runs Python code, without network or files."),
        mark("Run this Python code?"),
        {"code": ""},
    ),
    "ask_helpers": ToolLabels(
        mark("Ask Helpers"),
        mark("Answers up to 8 questions at the same time with the same model."),
        mark("Ask helpers these questions?"),
        {"questions": "", "context": mark("Context")},
        values={"context": {"fresh": mark("Only the question"), "fork": mark("This chat so far")}},
    ),
}


def labels_of(tool: Tool) -> ToolLabels | None:
    return LABELS.get(tool.name) if tool.server == BUILT_IN else None


def title_of(tool: Tool) -> str:
    """Return the display name of a tool: our label, the server's title, or the name with spaces."""
    if (words := labels_of(tool)) is not None:
        return tr(words.title)
    plain = _PLAIN.fullmatch(tool.name)
    name = " ".join(tool.name.replace("-", "_").split("_")) if plain else tool.name
    return to_visible_line(tool.title or name[:1].upper() + name[1:])[:80]


def describe_tool(tool: Tool) -> str:
    if (words := labels_of(tool)) is not None:
        return tr(words.about)
    line = to_visible_line(" ".join(tool.description[:1000].split()))
    sentence = _SENTENCE.match(line)
    text = sentence[0] if sentence else line
    return text if len(text) <= _LONGEST_ABOUT else f"{text[:_LONGEST_ABOUT]}…"


_PLAIN = re.compile(r"[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*")
_SENTENCE = re.compile(r".{12,}?[.!?。！？](?=\s|$)")
_LONGEST_ABOUT = 160  # characters


def builtin_tool(
    name: str,
    description: str,
    work: Callable[..., str | Outcome] | None,
    /,
    preview: Callable[[Arguments, CallContext], Difference] | None = None,
    check: Callable[[Arguments, CallContext], None] | None = None,
    asks_each_time: bool = True,
    **properties: Any,
) -> BuiltinTool:
    """Return a tool. Arguments without a default are required."""
    required = [key for key, value in properties.items() if "default" not in value]
    schema: dict[str, Any] = {"type": "object", "properties": properties, "required": required}
    schema["additionalProperties"] = False
    tool = Tool(BUILT_IN, name, description, schema, asks_each_time=asks_each_time)
    return BuiltinTool(tool, work, preview, check)


def _text(arguments: Arguments, name: str) -> str:
    value = arguments.get(name, "")
    if not isinstance(value, str):
        raise ToolError(mark("“{name}” must be text."), name=name)
    return value


def _check_bounds(a: Arguments, c: CallContext) -> None:
    granted_folders.check_granted(_text(a, "path"), c.grants)


def _can_be_asked(a: Arguments, c: CallContext) -> None:
    parse_helper_call(a)


def _search(a: Arguments, c: CallContext) -> str | Outcome:
    name, text = _text(a, "name"), _text(a, "text")
    return granted_folders.search_files(name, text, _text(a, "path"), c.grants)


MOST_HELPERS = 8  # questions per call


def parse_helper_call(arguments: Arguments) -> tuple[list[str], bool]:
    """Return the questions for helpers, and True if they should continue from the chat.

    Small models tend to pass a single question as a string.
    """
    questions = arguments.get("questions")
    listed = questions if isinstance(questions, list) else [questions]
    stripped = [item.strip() for item in listed if isinstance(item, str) and item.strip()]
    if not 1 <= len(stripped) == len(listed) <= MOST_HELPERS:
        words = mark("“{name}” must be a list of 1 to {most} texts.")
        raise ToolError(words, name="questions", most=MOST_HELPERS)
    context = arguments.get("context") or "fresh"
    if context not in ("fresh", "fork"):
        raise ToolError(mark("“{name}” must be “fresh” or “fork”."), name="context")
    return stripped, context == "fork"


_PATH = {"type": "string", "description": "The whole path, in a granted folder."}
_OPTIONAL = {"type": "string", "default": ""}
_DATE = builtin_tool(
    "date", "The current date, time and time zone.", lambda a, c: now(), asks_each_time=False
)
_ASK_HELPERS = builtin_tool(
    "ask_helpers",
    "Asks several questions at once, each of a helper: a chat of its own with your model, "
    "without tools. Gives back all answers. A fresh helper knows nothing but its question; "
    "a fork has read this chat.",
    None,
    questions={"type": "array", "items": {"type": "string"}, "maxItems": MOST_HELPERS},
    context={"type": "string", "enum": ["fresh", "fork"], "default": "fresh"},
    check=_can_be_asked,
    asks_each_time=False,
)
DATE = _DATE.tool.key  # the only tool the Guide can call
HELPERS = _ASK_HELPERS.tool.key  # run by the chat instead of a thread
STANDARD = (
    _DATE,
    builtin_tool(
        "calculate",
        "Evaluates arithmetic, e.g. (2 + 3) * 4 ** 0.5. Knows sqrt, log, sin, pi and the like.",
        lambda a, c: calculate(_text(a, "expression")),
        expression={"type": "string"},
        asks_each_time=False,
    ),
    builtin_tool(
        "list_folder",
        "Lists a folder; without a path, the folders that the person has granted.",
        lambda a, c: granted_folders.list_folder(_text(a, "path"), c.grants),
        path={**_PATH, "default": ""},
        check=_check_bounds,
        asks_each_time=False,
    ),
    builtin_tool(
        "read_file",
        "Reads a text file in a granted folder.",
        lambda a, c: granted_folders.read_file(_text(a, "path"), c.grants),
        path=_PATH,
        check=_check_bounds,
        asks_each_time=False,
    ),
    builtin_tool(
        "search_files",
        "Finds files in granted folders by name (*.md) and by a text that a line contains.",
        _search,
        name={"type": "string", "default": "*"},
        text=_OPTIONAL,
        path={**_PATH, "default": ""},
        check=_check_bounds,
        asks_each_time=False,
    ),
    builtin_tool(
        "write_file",
        "Writes a whole text file in a granted folder. The person is shown the difference first.",
        lambda a, c: granted_folders.write_file(
            _text(a, "path"), _text(a, "text"), c.seen, c.grants
        ),
        path=_PATH,
        text={"type": "string"},
        preview=lambda a, c: granted_folders.difference(
            _text(a, "path"), _text(a, "text"), c.grants
        ),
    ),
    builtin_tool(
        "fetch",
        "Fetches one public web address and gives back its text.",
        lambda a, c: fetch(_text(a, "url")),
        url={"type": "string"},
        asks_each_time=False,
    ),
    _ASK_HELPERS,
)
ABSENT = (
    mark("Python is unavailable: it needs bubblewrap (bwrap) to run code safely.")
    if sys.platform != "darwin"
    else mark("Python is unavailable: this system can’t run code safely.")
)


def _run_python(code: str) -> str | Outcome:
    try:
        printed = run_python(code)
    except RefusedError as refusal:
        raise ToolError(str(refusal)) from None
    if not printed:
        return Outcome(OutcomeKind.NOTHING_PRINTED, "(It printed nothing.)")
    return printed


PYTHON = builtin_tool(
    "python",
    "Runs Python without network and files; gives back what it prints.",
    lambda a, c: _run_python(_text(a, "code")),
    code={"type": "string"},
)
