"""Comparisons: the members of a panel reply to the same question.

A member is a model with settings, and its reply is a column. Columns are stored as answers to one
message. Their stats have the panel's ID, a letter and the member under "panel". They also have
"open" until the user picks a result, and "hidden" in a blind comparison. Answers generated from the
columns (e.g. by a judge) follow the same message, with the panel's ID and a kind.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from app.chats.ballots import Ballot, parse_ballots
from app.chats.options import (
    ChatOptions,
    changed_fields,
    continuation_options,
    options_of_answer,
    vary_options,
)
from app.chats.transcript import Transcript
from app.settings.language import mark, tr
from app.settings.paths import GUIDE
from app.store import Message
from app.tools.tool import one_line
from engine.params import is_valid

MOST, LONGEST = 8, 80
"""Maximum number of members, and characters in a name."""
JUDGE, MERGE, VOTE = "judge", "merge", "vote"
"""Kinds of answers made from a panel's columns."""


class Member(Struct, frozen=True):
    name: str = ""  # shown above the reply; "" for an automatic name like "Seed 3"
    model: str = ""  # "" for the chat's model
    # follows the question, so that members with the same model share a prefix
    system: str = ""
    # None for the chat's setting
    temperature: float | None = None
    seed: int | None = None
    hidden: bool = False  # hide name and model until the user decides; not stored with a panel

    @classmethod
    def from_json(cls, stored: object) -> Member:
        """Load a stored member. Invalid values become the chat's."""
        fields = stored if isinstance(stored, dict) else {}
        good: dict[str, Any] = {
            n: v for n in ("name", "model", "system") if isinstance(v := fields.get(n), str)
        }
        good |= {
            n: v
            for n in ("temperature", "seed")
            if (v := fields.get(n)) is not None
            and is_valid(n, v)
            and (n != "seed" or 0 <= v < 2**31)
        }
        return cls(**good)

    def to_json(self) -> dict[str, Any]:
        return changed_fields(self)

    def options(self, base: ChatOptions) -> ChatOptions:
        own_values = {n: v for n in ("temperature", "seed") if (v := getattr(self, n)) is not None}
        return replace(base, **own_values, tools=())


def options_of_members(
    members: Sequence[Member], base: ChatOptions, defaults: Sequence[Mapping[str, Any]]
) -> list[ChatOptions]:
    """Return each member's options, with a higher temperature if only the seeds differ.

    ``defaults`` has the recommended options of the members' models.
    """
    alike = Counter((m.model, m.system) for m in members if m.temperature is None)
    options = [member.options(base) for member in members]
    return [
        vary_options(o, model_defaults)
        if m.temperature is None and alike[m.model, m.system] > 1
        else o
        for m, o, model_defaults in zip(members, options, defaults, strict=True)
    ]


def options_of_column(column: Message, now: ChatOptions) -> ChatOptions:
    """Return the options to regenerate a column: its own, with the chat's current limits.

    If the column's request was never sent, only its member is known.
    """
    member = Member.from_json(data_of(column))
    if (own := options_of_answer(column.stats, now)) is None:
        return member.options(now)
    seed = now.seed if member.seed is None else member.seed
    return replace(continuation_options(own, now), seed=seed)


def members_from_json(stored: object) -> list[Member]:
    members = [Member.from_json(item) for item in stored] if isinstance(stored, list) else []
    return members if 2 <= len(members) <= MOST else []


def default_members() -> list[Member]:
    return [
        Member(tr("Optimist"), system=tr("Answer as an optimist. Make the case for it.")),
        Member(tr("Skeptic"), system=tr("Answer as a skeptic. Say what could go wrong.")),
        Member(tr("Engineer"), system=tr("Answer as an engineer. Explain how you’d build it.")),
    ]


def members_by_seed(count: int) -> list[Member]:
    return [Member(seed=n) for n in range(1, count + 1)]


def members_by_letter(count: int) -> list[Member]:
    """Like `members_by_seed`, but named "Reply A" and so on."""
    names = (tr("Reply {letter}", letter=letter) for letter in letters(count))
    return [Member(name, seed=n) for n, name in enumerate(names, 1)]


def members_by_temperature() -> list[Member]:
    return [Member(temperature=t) for t in (0.0, 0.7, 1.2)]


def members_by_model(names: Mapping[str, str]) -> list[Member]:
    """Return a member per model. ``names`` maps references to names.

    Models with equal names are named after their folders. The Guide, unless first, is left out if
    there are enough other models.
    """
    candidates = {ref: name for n, (ref, name) in enumerate(names.items()) if not n or ref != GUIDE}
    names = candidates if len(candidates) > 1 else names
    times = Counter(names.values())
    return [
        Member(Path(ref).parent.name if times[name] > 1 else "", ref)
        for ref, name in list(names.items())[:MOST]
    ]


def column_data(member: Member) -> dict[str, Any]:
    """Return a member as stored with its reply. Automatic names aren't stored."""
    return member.to_json() | ({} if member.name else {"named_by": "settings"})


def data_of(message: Message) -> Mapping[str, Any]:
    data = message.stats.get("panel")
    return data if isinstance(data, dict) else {}


def data_without_panel(column: Message) -> dict[str, Any]:
    """Return the data to keep when a column's reply is repeated outside of its panel."""
    field_names = {"system", "name", "named_by", "seed", "temperature"}
    return {name: value for name, value in data_of(column).items() if name in field_names}


def _word(message: Message, name: str) -> str:
    value = data_of(message).get(name)
    return value if isinstance(value, str) else ""


def panel_of(message: Message) -> str:
    return _word(message, "id")


def kind_of(message: Message) -> str:
    kind = _word(message, "kind")
    return kind if kind in (JUDGE, MERGE, VOTE) else ""


def letter_of(message: Message) -> str:
    return _word(message, "letter")[:1]


def name_of(message: Message) -> str:
    """Return a name that distinguishes a column from others with the same model, or ""."""
    data = data_of(message)
    if data.get("named_by") == "settings":
        member = Member.from_json(data)
        seed = "" if member.seed is None else tr("Seed {n}", n=member.seed)
        warm = member.temperature
        temperature = "" if warm is None else tr("Temperature {value}", value=warm)
        if seed or temperature:
            return " · ".join(filter(None, (seed, temperature)))
    return one_line(data.get("name"), LONGEST)


def is_open(message: Message) -> bool:
    return data_of(message).get("open") is True


_SHOWN_HIDDEN = {"code", "reason", "thought_s"}  # stats that don't reveal the model


def hide_names(message: Message) -> Message:
    """Return a message for display. Columns of an open blind comparison get a neutral name."""
    data = data_of(message)
    if data.get("hidden") is not True:
        return message
    stats = {key: value for key, value in message.stats.items() if key in _SHOWN_HIDDEN}
    stats["panel"] = {key: data[key] for key in ("id", "letter", "open", "hidden") if key in data}
    return replace(message, model=tr("Reply {letter}", letter=letter_of(message)), stats=stats)


def titles(columns: Sequence[Message]) -> list[str]:
    """Return the headings of columns: letter, name and model.

    Named columns of a single model don't repeat the model.
    """
    one_model = len({message.model for message in columns}) == 1
    headings = []
    for message in columns:
        name = name_of(message)
        parts = (name,) if name and one_model else (name, message.model)
        headings.append(_with_letter(letter_of(message), " · ".join(filter(None, parts))))
    return headings


def _with_letter(letter: str, name: str) -> str:
    return name if name == tr("Reply {letter}", letter=letter) else f"{letter} {name}"


def sources(message: Message) -> dict[str, str]:
    names = data_of(message).get("of")
    names = names.items() if isinstance(names, dict) else ()
    return {k: one_line(v, LONGEST) for k, v in names if k in tuple(letters(MOST))}


_CALLED = {
    JUDGE: mark("Judged by {model}"),
    MERGE: mark("Merged by {model}"),
    VOTE: mark("Vote"),
}


def heading_of(message: Message) -> str:
    if kind := kind_of(message):
        return tr(_CALLED[kind], model=message.model)
    return " · ".join(filter(None, (message.model, name_of(message))))


def columns(tree: Transcript, message_id: str) -> list[Message]:
    """Return the newest version of each column of an answer's panel, in order.

    For an answer made from columns, these are the versions that it was made from.
    """
    message = tree.get(message_id)
    if message is None or not (panel_id := panel_of(message)):
        return []
    siblings = tree.children(message.parent_id)
    if kind_of(message):
        siblings = siblings[: siblings.index(message)]
    messages = [m for m in siblings if panel_of(m) == panel_id and letter_of(m) and not kind_of(m)]
    newest = {letter_of(m): m for m in messages}
    return [newest[letter] for letter in sorted(newest)]


def question(tree: Transcript, message_id: str) -> Message | None:
    return next((m for m in tree.iterate_back_from(message_id) if m.role == "user"), None)


def letters(count: int) -> str:
    return ascii_uppercase[:count]


def letters_to_text(messages: Iterable[Message]) -> dict[str, str]:
    return {letter_of(m): name_of(m) or m.model for m in messages}


def format_list(names: Mapping[str, str]) -> str:
    return ", ".join(_with_letter(letter, name) for letter, name in names.items())


def answers(messages: Iterable[Message]) -> list[Message]:
    return [m for m in messages if m.content.strip() and m.status != "streaming"]


def why_not(kind: str, messages: Sequence[Message]) -> str:
    if any(m.status == "streaming" for m in messages):
        return tr("The comparison is still running.")
    if len(answers(messages)) < 2:
        return tr("Needs at least two replies.")
    return ballots(messages)[1] if kind == VOTE else ""


_JUDGE = """Do not answer the question yourself. Compare the answers above:
1. Where do they differ or contradict each other?
2. What does only one of them say?
Use only what stands in them. End with a line "Best: " and one letter, or "Best: none"."""
_MERGE = """Write one answer to the question out of the answers above. After each sentence, put the
letters of the answers that it comes from in square brackets, as [A] or [A, B].
Use only what stands in them. Where they contradict each other, say so."""


def instructions_of(tree: Transcript, message: Message) -> str:
    """Return the instructions that follow the question for this answer, or "".

    They depend only on the stored message, so the answer can be continued after a restart.
    """
    kind = kind_of(message)
    if kind not in (JUDGE, MERGE):
        return _word(message, "system")
    replies = answers(columns(tree, message.id))
    if data_of(message).get("turned") is True:
        replies.reverse()
    texts = [f"Answer {letter_of(m)}:\n{m.content.strip()}" for m in replies]
    return "\n\n".join([*texts, _JUDGE if kind == JUDGE else _MERGE])


def _order(messages: Sequence[Message], *, turned: bool) -> str:
    letters = [letter_of(m) for m in answers(messages)]
    return ", ".join(reversed(letters) if turned else letters)


def heading_of_reading(messages: Sequence[Message], *, turned: bool) -> str:
    shown = _order(messages, turned=turned)
    if turned:
        words = tr("Second reading ({letters})", letters=shown)
    else:
        words = tr("First reading ({letters})", letters=shown)
    return f"**{words}**\n\n"


def last_reading(text: str, messages: Sequence[Message]) -> str:
    """Return the judge's text below the second heading, in any language, or all of the text."""
    order = re.escape(_order(messages, turned=True))
    heading = rf"^\*\*.{{0,40}}{order}.{{0,9}}\*\*$"
    return re.split(heading, text, maxsplit=1, flags=re.MULTILINE)[-1]


# Repetition is limited and stays on one line, because backtracking could take minutes.
_BEST = re.compile(
    r"^[^\w\n]*best(?: answer)?[^\w\n]{0,9}[:：][^\w\n]{0,9}(none|[A-Z])\b",
    re.IGNORECASE | re.MULTILINE,
)


def parse_best(text: str, messages: Iterable[Message]) -> str:
    matches = _BEST.findall(text)
    letter = matches[-1].upper() if matches else ""
    return letter if letter in {letter_of(m) for m in messages} else ""


def verdict(first: str, second: str) -> str:
    """Return a sentence about the judge's picks in both readings."""
    if first and first == second:
        words = tr("The judge preferred {letter} in both readings.", letter=first)
    elif first and second:
        words = tr(
            "The judge changed its mind, so no reply won: {first} in the first reading, {second} "
            "in the second.",
            first=first,
            second=second,
        )
    else:
        words = tr("The judge didn’t name the same best reply in both readings.")
    return f"**{words}** " + tr("Models can misjudge. Check what matters.")


def ballots(messages: Sequence[Message]) -> tuple[dict[str, Ballot], str]:
    """Return the votes by letter, and an error message if the answers can't be counted."""
    replies = answers(messages)
    if any(
        m.status != "complete" or m.stats.get("reason") in ("length", "memory") for m in replies
    ):
        return {}, tr("A reply was cut off and can’t be counted.")
    if votes := parse_ballots([m.content for m in replies]):
        return dict(zip(map(letter_of, replies), votes, strict=True)), ""
    return {}, tr("Only numbers, short choices, and JSON can be counted.")


def count(messages: Sequence[Message]) -> str:
    votes, _ = ballots(messages)
    tally = Counter(vote.value for vote in votes.values())
    ranked = tally.most_common()
    value, top_count = ranked[0]
    texts = {vote.value: _code_text(vote.text) for vote in reversed(votes.values())}
    if top_count == len(votes):
        words = tr("All {total} say {value}.", total=top_count, value=texts[value])
    elif len(ranked) > 1 and ranked[1][1] == top_count:
        words = tr("No reply has more votes than the others.")
    else:
        words = tr(
            "{most} of {total} say {value}.", most=top_count, total=len(votes), value=texts[value]
        )
    lines = [
        f"- {texts[value]}: "
        + format_list(letters_to_text(m for m in messages if _vote(votes, m) == value))
        for value, _ in ranked
    ]
    silent = [m for m in messages if letter_of(m) not in votes]
    if silent:
        lines.append("- " + tr("No reply: {names}", names=format_list(letters_to_text(silent))))
    return "\n".join([words + " " + tr("Agreeing doesn’t make it correct."), "", *lines])


def _vote(votes: Mapping[str, Ballot], message: Message) -> str:
    vote = votes.get(letter_of(message))
    return vote.value if vote is not None else ""


def _code_text(text: str) -> str:
    text = " ".join(text.split())
    ticks = "`" * (max(map(len, re.findall(r"`+", text)), default=0) + 1)
    space = " " if "`" in text else ""
    return f"{ticks}{space}{text[:300]}{space}{ticks}"
