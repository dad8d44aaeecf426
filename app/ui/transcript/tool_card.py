"""Texts and buttons of a tool call's card."""

from __future__ import annotations

import json

from msgspec import Struct

from app.chats.lanes import lanes_of
from app.chats.tool_call import Call, CallState, describe_helper_call, find_argument_error
from app.settings.language import counted, mark, number, tr
from app.store import Message
from app.tools.builtin import HELPERS, Obstacle, describe_tool, labels_of, title_of
from app.tools.consent import Decision
from app.tools.granted_folders import Difference
from app.tools.tool import BUILT_IN, Tool, to_visible_line
from app.ui.style.figures import seconds

BUTTONS: dict[Decision | str, tuple[str, str]] = {
    "grant": (
        mark("Allow Writing in This Folder"),
        mark("Tools in this chat can change files in it. You see each change first.  W"),
    ),
    "tools": (mark("Tools for This Chat…"), mark("Add a folder to this chat")),
    Decision.ONCE: (mark("Allow Once"), mark("Run this call  Enter")),
    Decision.TOOL: (
        mark("Always Allow"),
        mark("Run this tool in this chat without asking again  T"),
    ),
    Decision.SERVER: (
        mark("Always Allow Server"),
        mark("Run every tool of this server in this chat without asking  S"),
    ),
    Decision.DENY: (mark("Deny"), mark("Don’t run this call  D")),
    "edit": (mark("Edit…"), mark("Change the arguments of this call  E")),
    "stop": (mark("Stop"), mark("Stop this call")),
    "retry": (mark("Try Again"), mark("Stop this call and run it again")),
    "all": ("", mark("Run every waiting call in this chat  A")),
    "none": (mark("Deny All"), mark("Run none of the waiting calls")),
}
"""Buttons of a card in order, with tooltips."""

FOR_ALL = ("all", "none")
"""Buttons for all waiting calls of a chat, below the others."""


class ToolCardState(Struct, frozen=True):
    """Contents of a tool call's card.

    Attributes:
        headline: title, without the elapsed time of a running call.
        about: purpose of the tool. Empty for built-in tools.
        notice: why the call can't run.
        buttons: keys of `BUTTONS`.
        is_ready: the call can be allowed now.
        is_editing: the user is editing the arguments.
    """

    headline: str = ""
    about: str = ""
    notice: str = ""
    buttons: tuple[Decision | str, ...] = ()
    is_ready: bool = False
    is_editing: bool = False


class WaitingCalls(Struct, frozen=True):
    """Calls in a chat that are waiting for the user's decision.

    Attributes:
        count: total number of waiting calls.
        allowable: number of waiting calls that could run if allowed.
        ends_here: True for the last call, whose card shows the buttons for all calls.
    """

    count: int = 0
    allowable: int = 0
    ends_here: bool = False


def card_state(
    call: Call | None,
    message: Message,
    pairs: list[tuple[str, str]] | None,
    waiting: WaitingCalls,
    *,
    late: bool = False,
) -> ToolCardState:
    """Return the contents of a call's card, which is empty if the call has ended (None).

    ``pairs`` are the arguments from `displayed_arguments`. ``late``: a result is overdue.
    """
    if call is None:
        return ToolCardState()
    if call.questions:
        return ToolCardState(tr("{tool} needs your input", tool=name_of(message)))
    if call.state is not CallState.ASKING:
        headline = describe_helper_call(call) or tr("Running {tool}", tool=name_of(message))
        runs = call.state is CallState.RUNNING
        return ToolCardState(headline, buttons=(*("stop",) * runs, *("retry",) * (runs and late)))
    if call.tool is None:
        return ToolCardState(question(call, message))
    return _decision_card(call, call.tool, message, pairs, waiting)


def _decision_card(
    call: Call,
    tool: Tool,
    message: Message,
    pairs: list[tuple[str, str]] | None,
    waiting: WaitingCalls,
) -> ToolCardState:
    editing = call.edited_arguments is not None
    obstacle = call.preview if isinstance(call.preview, Obstacle) and not editing else None
    buttons: list[Decision | str] = []
    if obstacle is not None:
        buttons += ["grant"] * (obstacle.folder is not None) + ["tools"] * obstacle.outside
    buttons += allowed_decisions(call, tool)
    if not editing and (pairs or tool.schema.get("properties")):
        buttons.append("edit")
    if waiting.ends_here:
        buttons += ["all"] * (waiting.allowable > 1) + ["none"] * (waiting.count > 1)
    return ToolCardState(
        question(call, message),
        about=describe_tool(tool) if labels_of(tool) is None else "",
        notice=obstacle.words if obstacle is not None else "",
        buttons=tuple(buttons),
        is_ready=not call.needs_preview or call.preview is not None or editing,
        is_editing=editing,
    )


def allowed_decisions(call: Call, tool: Tool) -> list[Decision]:
    if call.is_obstructed:
        return [Decision.DENY]
    return [
        Decision.ONCE,
        *([Decision.TOOL] if not tool.asks_each_time else []),
        *([Decision.SERVER] if tool.server != BUILT_IN else []),
        Decision.DENY,
    ]


_SAID = {
    "accept": mark("The server asked: {question}\nYou answered."),
    "decline": mark("The server asked: {question}\nYou declined."),
    "cancel": mark("The server asked: {question}\nYou didn’t answer."),
}


def tool_of(message: Message) -> Tool:
    stats = message.stats
    name = str(stats.get("tool") or stats.get("name") or tr("tool"))
    return Tool(str(stats.get("server") or ""), name, title=str(stats.get("title") or ""))


def name_of(message: Message) -> str:
    return " · ".join(filter(None, _title_and_server(message)))


def _title_and_server(message: Message) -> tuple[str, str]:
    """Return the tool's title and the server's name, which is "" for built-in tools."""
    tool = tool_of(message)
    server = to_visible_line(tool.server)[:60]
    return title_of(tool), "" if server == BUILT_IN else server


def question(call: Call, message: Message) -> str:
    """Return the headline that asks the user to allow an action."""
    words = labels_of(call.tool) if call.tool is not None else None
    if words is None or call.edited_arguments is not None:
        title, server = _title_and_server(message)
        if server:
            return tr("Use {tool} from {server}?", tool=title, server=server)
        return tr("Use {tool}?", tool=title)
    if isinstance(call.preview, Difference):
        return tr("Create this file?") if call.preview.new else tr("Change this file?")
    arguments = displayed_arguments(tool_of(message), call.arguments)
    return tr(words.plain if words.plain and not arguments else words.question)


def displayed_arguments(tool: Tool, arguments: str) -> list[tuple[str, str]] | None:
    """Return the arguments as (label, text) pairs, or None if they aren't a JSON object.

    Invisible characters are escaped. Empty arguments of built-in tools are skipped, because they
    have the same effect as missing arguments.
    """
    if find_argument_error(arguments) is not None:
        return None
    words, pairs = labels_of(tool), []
    for key, value in json.loads(arguments or "{}").items():
        text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
        if words is not None and key in words.values:
            text = tr(words.values[key][text]) if text in words.values[key] else text
        elif tool.key == HELPERS and isinstance(value, list):
            text = "\n".join(f"{n}. {item}" for n, item in enumerate(value, 1))
        if words is None or text:
            label = words.labels.get(key) if words is not None else None
            name = to_visible_line(key) if label is None else label and tr(label)
            pairs.append((name, visible_lines(text)))
    return pairs


def format_size(characters: int) -> str:
    return counted("%Ln character", "%Ln characters", characters)


def subject_of(message: Message) -> str:
    """Return in one line what a built-in tool works on, e.g. a file or a formula, or ""."""
    tool = tool_of(message)
    if len(helpers := lanes_of(message)) > 1:
        return counted("%n helper", "%n helpers", len(helpers))
    pairs = displayed_arguments(tool, str(message.stats.get("arguments", "")))
    words = labels_of(tool)
    if words is None or not pairs:
        return ""
    text = next((text for label, text in pairs if not label), "")
    text = text.rstrip("/").rpartition("/")[2] if words.labels.get("path") == "" else text
    return "" if "\n" in text else text


def result_heading(message: Message) -> str:
    """Return the heading of a call that has ended: the tool, how it ended, and its figures."""
    stats, tool, subject = message.stats, name_of(message), subject_of(message)
    tool = f"{tool} · {subject}" if subject else tool
    if stats.get("decision") == "deny":
        return tr("{tool} · Denied", tool=tool)
    if message.status == "cancelled":
        return tr("{tool} · Stopped", tool=tool)
    if message.status == "interrupted":
        return tr("{tool} · Interrupted when Stretto quit", tool=tool)
    parts = [tool]
    if message.status == "error":
        parts.append(tr("Failed"))
    took = stats.get("seconds")
    if isinstance(took, int | float) and not isinstance(took, bool):
        short = tr("{number} ms", number=number(took * 1000))
        parts.append(short if took < 0.1 else seconds(float(took)))
    size = stats.get("size")
    # Show the size only if there's no subject or the result was shortened.
    has_size = not subject or (isinstance(size, int) and size > len(message.content))
    if has_size and isinstance(size, int) and message.status != "error":
        parts.append(_size_text(len(message.content), size))
    return " · ".join(parts)


def _size_text(kept: int, size: int) -> str:
    if size <= kept:
        return format_size(size)
    return counted(
        "{kept} of %Ln characters",
        "{kept} of %Ln characters",
        size,
        kept=number(kept),
    )


def server_questions(message: Message) -> list[str]:
    """Return the questions the server asked during a call, with the user's responses."""
    questions = message.stats.get("asked")
    return [
        tr(_SAID[pair[1]], question=str(pair[0]))
        for pair in (questions if isinstance(questions, list) else [])
        if isinstance(pair, list) and len(pair) == 2 and pair[1] in _SAID
    ]


def visible_lines(text: str) -> str:
    return "\n".join(to_visible_line(line.replace("\t", "    ")) for line in text.split("\n"))
