"""Whether an answer is what it has to be. Blocks; call it beside whatever must not wait."""

from __future__ import annotations

import json
import re
import secrets
from functools import partial
from typing import Any

from msgspec import Struct

from engine.errors import CHECK_ENDED
from engine.sandbox import protocol
from engine.sandbox.pool import Pool
from engine.sandbox.protocol import Kind, Limits, RefusedError, TaskError
from engine.sandbox.python_cell import confined, run_python
from engine.serve.json_input import shortened
from engine.trial.plan import Check, Prompt

_BLOCK = re.compile(r"\s*```[a-z]*[ \t]*\n(.*)\n\s*```\s*", re.DOTALL)
_EXPECTED = "{expected}"


class Verdict(Struct, frozen=True):
    """What came of a check. `passed` is None where that is undecided; `why` says it in English."""

    passed: bool | None
    why: str = ""
    code: str = ""  # what it is undecided by, as of an `EngineError`


class Checker:
    """Judges answers by themselves. As a context it ends its child, in which patterns run."""

    def __init__(self, limits: Limits = protocol.CHECK) -> None:
        self._limits = limits
        self._children = Pool(1, Kind.DOCUMENTS)

    def __enter__(self) -> Checker:
        return self

    def __exit__(self, *_: object) -> None:
        self._children.close()

    def verdict(self, check: Check, prompt: Prompt, answer: str) -> Verdict:
        """What comes of any check but a judge's or a person's."""
        try:
            why = self._why_not(check, prompt, answer)
        except (RefusedError, TaskError) as error:
            return Verdict(None, shortened(f"The check {error}"), CHECK_ENDED)
        if check.turned:
            return Verdict(bool(why), "" if why else "it passes")
        return Verdict(not why, shortened(why))

    def _why_not(self, check: Check, prompt: Prompt, answer: str) -> str:
        """Why it does not pass, before the check is turned; "" where it does."""
        kind, value, expected = check.kind, check.value, prompt.expected
        if kind == "python":
            return _python(value, prompt, answer)
        if kind in ("regex", "json_schema"):
            block = _BLOCK.fullmatch(answer) if kind == "json_schema" else None
            if kind == "regex":
                value = value.replace(_EXPECTED, re.escape(expected))
            asked = {"kind": kind, "value": value, "ignore_case": check.ignore_case}
            text = (block[1] if block else answer).encode(errors="replace")
            ask = partial(_ask, arguments=asked, blobs=(text,), limits=self._limits)
            return str(self._children.ask("check", "", ask)[0]["why"])
        wanted = (value,) if isinstance(value, str) else value
        wanted = tuple(text.replace(_EXPECTED, expected) for text in wanted)
        if check.ignore_case:
            answer, wanted = answer.casefold(), tuple(text.casefold() for text in wanted)
        if kind == "equals":
            return "" if answer.strip() == wanted[0].strip() else f"it is not {wanted[0]!r}"
        missing = next((text for text in wanted if text not in answer), None)
        return "" if missing is None else f"{missing!r} is not in it"


def _ask(child: Any, arguments: Any, blobs: tuple[bytes, ...], limits: Limits) -> protocol.Reply:
    reply: protocol.Reply = child.ask("check", arguments, blobs, limits)
    return reply


def _python(code: str, prompt: Prompt, answer: str) -> str:
    """What the code says of the answer, confined. Whatever else it prints counts for nothing."""
    if confined() is None:
        raise RefusedError("needs a way to run Python safely, which this system lacks")
    mark = secrets.token_hex(8)
    given = json.dumps({"answer": answer, "prompt": prompt.text, "expected": prompt.expected})
    try:
        told = run_python(_CODE.format(given=given, code=code.strip(), mark=mark))
    except RefusedError as refusal:
        return str(refusal)
    _, found, why = told.rpartition(mark)
    return why.strip() if found else "it came to no result"


_CODE = """\
import json
names = json.loads({given!r})
code = {code!r}
try:
    try:
        compiled = compile(code, "check", "eval")
    except SyntaxError:
        exec(compile(code, "check", "exec"), names)
        passed = names["passed"]
    else:
        passed = eval(compiled, names)
    why = "" if passed else "it is not so"
except Exception as error:
    why = f"{{type(error).__name__}}: {{error}}"
print("\\n{mark}", why)
"""
