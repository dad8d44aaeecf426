"""Agents whose model quotes markers and writes them into files, for `tests.torture agents`.

A session per agent, started by `launch`. The model has tokens for its markers and spells out quoted
markers. The files must match the intended bytes exactly.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from engine.text.call_notations import NOTATIONS, markers
from engine.text.dialects import ROWS
from tests.engine.scripted import SHOWS, Answer, write_quoting_agent
from tests.torture.agents import Agents, Here, claude_of, figures, installed
from tests.torture.agents_openai import CLIENTS, Session

THOUGHT = (
    "I look at `<think>` first. A <tool_call> or </tool_call> in my thoughts is no call, and "
    "`</think>` in them does not end them."
)
OUTRO = (
    "All is written. `<think>` opens a thought and </think> ends it. A call is "
    '`<tool_call>{"name": "x", "arguments": {}}</tool_call>`, or [TOOL_CALLS]x[ARGS]{}, and the '
    "turn ends with <|im_end|> or <|call|>. The last word is `</parameter></function>`."
)


def all_markers() -> list[str]:
    found = ["[/TOOL_CALLS]", "]<]minimax[>[", "<![CDATA[", "]]>", "<|call|>", "<|im_start|>"]
    for row in ROWS:
        found += [*row.needs, *row.dropped, *row.ends]
        for frame in row.more:
            found += [frame.start, *frame.ends]
        for pair in (row.reasoning, row.tools):
            found += pair if isinstance(pair, tuple) else ()
        if row.header is not None:
            found += [*row.header.starts, row.header.end, *row.header.closes]
    for notation in NOTATIONS.values():
        if (tags := notation.tags) is not None:
            known = {"name": "edit", "key": "content", "raw": "true", "kind": "string"}
            whole = (tags.open, tags.before)
            found += [one.format(**known) for one in whole]
            found += [tags.close, tags.after, f"{tags.after}{tags.close}", *tags.ends]
        found.append(notation.quote)
    for name in SHOWS:
        opened, closed = markers(name)
        found += [opened, closed, f"</parameter>\n</function>\n{closed}", f"</arg_value>\n{closed}"]
    return list(dict.fromkeys(one for one in found if one.strip()))


def hostile(label: str) -> str:
    """Return a text with every marker in and around other text, and with unusual whitespace.

    Args:
        label: distinguishes its lines from other texts.
    """
    lines = [f"# {label}", "", "\ttabs\tand blanks at the end  ", 'a \\n, a "quote" and 007, null']
    for number, marker in enumerate(all_markers()):
        lines += [f"{label}{number} {marker} {label}{number}b `{marker}` {label}{number}c", marker]
    return "\n".join([*lines, f"the end of {label}", "", ""])


def written(notation: str, name: str, **arguments: Any) -> Answer:
    """Return a tool call in the model's format."""
    opened, closed = markers(notation)
    tags = NOTATIONS[notation].tags
    if tags is None:
        told = json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)
        return opened, f"\n{told}\n", closed, "\n"
    body = "" if notation == "glm47" else "\n"
    body += tags.open.format(name=name)
    for key, value in arguments.items():
        text = value if isinstance(value, str) else json.dumps(value)
        body += f"{tags.before.format(key=key, raw='true', kind='string')}{text}{tags.after}"
    return opened, f"{body}{tags.close}\n", closed, "\n"


@dataclass(frozen=True)
class Quoter:
    notation: str
    asked: Sequence[str]
    write: Callable[[str], tuple[str, dict[str, Any]]]
    edit: Callable[[str, str], tuple[str, dict[str, Any]]]
    shell: Callable[[str], tuple[str, dict[str, Any]]]


def here_document(path: str, text: str) -> str:
    """Return a shell command that writes a text, which must end with a newline."""
    assert text.endswith("\n")
    return f"cat > {path} <<'THE END'\n{text}THE END"


def patch(old: str, new: str) -> str:
    lines = [*(f"-{one}" for one in old.split("\n")), *(f"+{one}" for one in new.split("\n"))]
    told = "\n".join(
        ["*** Begin Patch", "*** Update File: first.md", "@@", *lines, "*** End Patch"]
    )
    return f"apply_patch <<'THE END'\n{told}\nTHE END"


QUOTERS = {
    "claude": Quoter(
        "qwen3_coder",
        [
            *("-p", "PROMPT", "--output-format", "json"),
            *("--allowedTools", "Bash,Read,Write,Edit"),
        ],
        lambda text: ("Write", {"file_path": "@/first.md", "content": text}),
        lambda old, new: (
            "Edit",
            {"file_path": "@/first.md", "old_string": old, "new_string": new},
        ),
        lambda line: ("Bash", {"command": line, "description": "Write"}),
    ),
    "codex": Quoter(
        "json_tools",
        CLIENTS["codex"].asked,
        lambda text: ("exec_command", {"cmd": here_document("first.md", text)}),
        lambda old, new: ("exec_command", {"cmd": patch(old, new)}),
        lambda line: ("exec_command", {"cmd": line}),
    ),
    "opencode": Quoter(
        "minimax_m2",
        CLIENTS["opencode"].asked,
        lambda text: ("write", {"filePath": "@/first.md", "content": text}),
        lambda old, new: (
            "edit",
            {"filePath": "@/first.md", "oldString": old, "newString": new},
        ),
        lambda line: ("bash", {"command": line, "description": "Write"}),
    ),
}
FIRST, CHANGED, SECOND = hostile("w"), hostile("e").rstrip("\n"), hostile("s")
OLD = "\n".join(FIRST.split("\n")[4:12])
"""Lines of the first file that will be changed."""


def _write(
    quoter: Quoter, notation: str, spells: bool, project: Path, folder: Path, context: int
) -> Path:
    def called(told: tuple[str, dict[str, Any]]) -> Answer:
        name, arguments = told
        laid = {key: value.replace("@/", f"{project}/") for key, value in arguments.items()}
        return written(notation, name, **laid)

    write, edit = called(quoter.write(FIRST)), called(quoter.edit(OLD, CHANGED))
    script = [
        ("I write <tool_call> and `</think>` first.\n", *write),
        ("<think>", THOUGHT, "</think>", "\n\nNow the change.\n", *edit),
        ("Then another.\n", *called(quoter.shell(here_document("second.md", SECOND)))),
        ("Are they right?\n", *called(quoter.shell("tail -n 3 first.md second.md"))),
        (OUTRO,),
    ]
    return write_quoting_agent(folder, {"quotes": script}, notation, context, spells)


def _session(name: str, here: Here) -> None:
    quoter = QUOTERS[name]
    if name == "claude":
        program, _ = claude_of(here)
    else:
        program = installed(CLIENTS[name].package, CLIENTS[name].program)
    said, turns = Session(here, name, program, quoter.asked)("[[quotes]] please")
    here.found("a session with five turns", len(turns) >= 5, figures(turns))
    for file, meant in (("first.md", FIRST.replace(OLD, CHANGED)), ("second.md", SECOND)):
        path = here.folder / file
        found = path.read_bytes() if path.exists() else b""
        same = found == meant.encode()
        here.found(f"{file} is what was meant", same, "" if same else _differs(found, meant))
    if name == "claude":
        last = [line for line in said.splitlines() if line.startswith("{")]
        said = str(json.loads(last[-1]).get("result")) if last else said
        here.found("the answer is what was meant", said == OUTRO, "" if said == OUTRO else said)
    else:
        here.found("the answer is what was meant", OUTRO in said, said[-600:] * (OUTRO not in said))


def _differs(found: bytes, meant: str) -> str:
    wanted = meant.encode()
    at = next((n for n, (a, b) in enumerate(zip(found, wanted, strict=False)) if a != b), -1)
    at = at if at >= 0 else min(len(found), len(wanted))
    part = slice(max(0, at - 20), at + 40)
    return f"at byte {at} of {len(wanted)}: {found[part]!r}, not {wanted[part]!r}"


def agents() -> Agents:
    """Return each agent with its default format, and as NAME:NOTATION with the others.

    With NAME:NOTATION-spelled, the model has no tokens for the markers of its calls.
    """

    def named() -> Iterator[tuple[str, str, str, bool]]:
        for name, quoter in QUOTERS.items():
            yield f"{name}-quotes", name, quoter.notation, False
            for notation in SHOWS:
                yield f"{name}-quotes:{notation}", name, notation, False
                yield f"{name}-quotes:{notation}-spelled", name, notation, True

    return {
        shown: (partial(_write, QUOTERS[name], notation, spells), partial(_session, name), 2**17)
        for shown, name, notation, spells in named()
    }
