"""A panel: who is asked one question, and what can be made of their answers. No Qt, no store.

Its columns are answers to one message like others, told apart by what stands in their figures under
"panel": the panel's id, a letter, a name. So they survive whatever messages survive. What is made
of them is one more answer to that message, with the same id and a kind.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from string import ascii_uppercase
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from app.chats.options import ChatOptions, changed, varied
from app.chats.transcript import Transcript
from app.settings.language import mark, tr
from app.store import Message
from app.tools.tool import one_line
from engine.params import takes

MOST, LONGEST = 8, 80
"""Members of a panel, and characters of a name."""
JUDGE, MERGE, VOTE = "judge", "merge", "vote"
"""What can be made of the answers, besides keeping one."""


class Member(Struct, frozen=True):
    """One who is asked."""

    name: str = ""  # what stands above the answer; "" for "Seed 3" and the like
    model: str = ""  # its reference; "" for the chat's own
    # what it is told besides the question. It follows the question, so that all members of one
    # model go on from one beginning.
    system: str = ""
    # temperature, seed: None as in the chat
    temperature: float | None = None
    seed: int | None = None

    @classmethod
    def from_json(cls, told: object) -> Member:
        """What was kept; what makes no sense is as in the chat."""
        known = told if isinstance(told, dict) else {}
        good: dict[str, Any] = {
            n: v for n in ("name", "model", "system") if isinstance(v := known.get(n), str)
        }
        good |= {
            n: v
            for n in ("temperature", "seed")
            if (v := known.get(n)) is not None and takes(n, v) and (n != "seed" or 0 <= v < 2**31)
        }
        return cls(**good)

    def to_json(self) -> dict[str, Any]:
        """Only what differs from a member of which nothing is said."""
        return changed(self)

    def options(self, own: ChatOptions) -> ChatOptions:
        """What it is asked with in a chat with these options. It calls no tools."""
        said = {n: v for n in ("temperature", "seed") if (v := getattr(self, n)) is not None}
        return replace(own, **said, tools=())


def asked_with(
    members: Sequence[Member], own: ChatOptions, defaults: Sequence[Mapping[str, Any]]
) -> list[ChatOptions]:
    """What each is asked with: those told apart by their seeds alone so that seeds matter.

    ``defaults``: what the makers of each one's model recommend.
    """
    alike = Counter((m.model, m.system) for m in members if m.temperature is None)
    told = [member.options(own) for member in members]
    return [
        varied(o, usual) if m.temperature is None and alike[m.model, m.system] > 1 else o
        for m, o, usual in zip(members, told, defaults, strict=True)
    ]


def members_from_json(told: object) -> list[Member]:
    """A panel that was kept; none for what cannot be one."""
    found = [Member.from_json(one) for one in told] if isinstance(told, list) else []
    return found if 2 <= len(found) <= MOST else []


def usual() -> list[Member]:
    """Who is asked until a person has chosen others."""
    return [
        Member(tr("Optimist"), system=tr("Answer as an optimist: what speaks for it?")),
        Member(tr("Sceptic"), system=tr("Answer as a sceptic: what speaks against it?")),
        Member(tr("Engineer"), system=tr("Answer as an engineer: how would it be done?")),
    ]


def name(member: Member) -> str:
    """What tells it from others of its model; "" where that is nothing."""
    if member.name or (member.seed is None and member.temperature is None):
        return member.name
    if member.seed is not None:
        return tr("Seed {n}", n=member.seed)
    return tr("Temperature {value}", value=member.temperature)


# What stands in the messages.


def told(message: Message) -> Mapping[str, Any]:
    """What a message says of its panel; empty where it belongs to none."""
    found = message.stats.get("panel")
    return found if isinstance(found, dict) else {}


def _word(message: Message, name: str) -> str:
    found = told(message).get(name)
    return found if isinstance(found, str) else ""


def panel_of(message: Message) -> str:
    """The id of its panel, "" for none."""
    return _word(message, "id")


def kind_of(message: Message) -> str:
    """What was made of a panel by it, "" for anything else."""
    kind = _word(message, "kind")
    return kind if kind in (JUDGE, MERGE, VOTE) else ""


def letter_of(message: Message) -> str:
    """The letter of a column."""
    return _word(message, "letter")[:1]


def name_of(message: Message) -> str:
    """The name of a column, "" where it has none."""
    return one_line(told(message).get("name"), LONGEST)


def sources(message: Message) -> dict[str, str]:
    """Whose answers it was made of, by letter; none for an answer that was made of none."""
    found = told(message).get("of")
    found = found.items() if isinstance(found, dict) else ()
    return {k: one_line(v, LONGEST) for k, v in found if k in tuple(letters(MOST))}


_CALLED = {
    JUDGE: mark("Comparison by {model}"),
    MERGE: mark("Merged by {model}"),
    VOTE: mark("Vote"),
}


def called(message: Message) -> str:
    """Whose an answer is, as it stands above it: "Guide · Sceptic", "Merged by Guide"."""
    if kind := kind_of(message):
        return tr(_CALLED[kind], model=message.model)
    return " · ".join(filter(None, (message.model, name_of(message))))


def columns(tree: Transcript, message_id: str) -> list[Message]:
    """The columns of the panel that an answer belongs to, as they were asked.

    Of a column that was answered anew the newest answer; what was made of them has those of then.
    """
    message = tree.get(message_id)
    if message is None or not (panel := panel_of(message)):
        return []
    beside = tree.children(message.parent_id)
    if kind_of(message):
        beside = beside[: beside.index(message)]
    found = [m for m in beside if panel_of(m) == panel and letter_of(m) and not kind_of(m)]
    newest = {letter_of(m): m for m in found}
    return [newest[letter] for letter in sorted(newest)]


def question(tree: Transcript, message_id: str) -> Message | None:
    """The person's message that a panel asked at this message is about."""
    return next((m for m in tree.back_from(message_id) if m.role == "user"), None)


def letters(count: int) -> str:
    """Those of so many columns."""
    return ascii_uppercase[:count]


def by_letter(found: Iterable[Message]) -> dict[str, str]:
    """Whose these columns are."""
    return {letter_of(m): name_of(m) or m.model for m in found}


def listed(names: Mapping[str, str]) -> str:
    """ "A Optimist, B Sceptic"."""
    return ", ".join(f"{letter} {name}" for letter, name in names.items())


def answers(found: Iterable[Message]) -> list[Message]:
    """Those that came to something."""
    return [m for m in found if m.content.strip() and m.status != "streaming"]


def why_not(kind: str, found: Sequence[Message]) -> str:
    """Why this cannot be made of these columns, as a sentence; "" if it can."""
    if any(m.status == "streaming" for m in found):
        return tr("The panel is still replying.")
    if len(answers(found)) < 2:
        return tr("This needs two replies at least.")
    return ballots(found)[1] if kind == VOTE else ""


# What a model is told after the question.

_JUDGE = """Do not answer the question yourself. Compare the answers above:
1. Where do they differ or contradict each other?
2. What does only one of them say?
Use only what stands in them. End with a line "Best: " and one letter, or "Best: none"."""
_MERGE = """Write one answer to the question out of the answers above. After each sentence, put the
letters of the answers that it comes from in square brackets, as [A] or [A, B].
Use only what stands in them. Where they contradict each other, say so."""


def says(tree: Transcript, message: Message) -> str:
    """What a model is told after the question for this answer; "" for nothing more.

    It stands in the message, or is made of what does: an answer that was cut off can be gone on
    with in another run.
    """
    kind = kind_of(message)
    if kind not in (JUDGE, MERGE):
        return _word(message, "system")
    found = answers(columns(tree, message.id))
    if told(message).get("turned") is True:
        found.reverse()
    texts = [f"Answer {letter_of(m)}:\n{m.content.strip()}" for m in found]
    return "\n\n".join([*texts, _JUDGE if kind == JUDGE else _MERGE])


def order(found: Sequence[Message], *, turned: bool) -> str:
    """The head of what a judge says to the answers in one order."""
    letters = [letter_of(m) for m in answers(found)]
    shown = ", ".join(reversed(letters) if turned else letters)
    return f"**{tr('Read in the order {letters}', letters=shown)}**\n\n"


# No part of these goes on over lines: what a model repeats without end would take minutes.
_BEST = re.compile(
    r"^[^\w\n]*best(?: answer)?[^\w\n]{0,9}[:：][^\w\n]{0,9}(none|[A-Z])\b",
    re.IGNORECASE | re.MULTILINE,
)


def best(text: str, found: Iterable[Message]) -> str:
    """The letter that a judge names, "" for none or one that is no column's."""
    named = _BEST.findall(text)
    letter = named[-1].upper() if named else ""
    return letter if letter in {letter_of(m) for m in found} else ""


def verdict(first: str, second: str) -> str:
    """What the letters named in both orders come to."""
    if first and first == second:
        words = tr("In both orders {letter} was named best.", letter=first)
    elif first and second:
        words = tr(
            "Named best: {first} in one order, {second} in the other. The order decided.",
            first=first,
            second=second,
        )
    else:
        words = tr("No reply was named best in both orders.")
    return f"**{words}** " + tr("A model’s judgement is no proof.")


# The vote.


class Ballot(Struct, frozen=True):
    """What one answer comes to."""

    value: str  # by which it is compared
    shown: str  # as it was written


_FENCE = re.compile(r"```\w*[^\S\n]*\n(.*?)```", re.DOTALL)
_ANSWER = re.compile(
    r"^[^\w\n]*(?:final |the )?(?:answer|result|antwort|ergebnis|respuesta|réponse|答え|答案)"
    r"[^\w\n]{0,9}(?:is\b|=|:|：)[\s*]*(.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_NUMBER = re.compile(
    r"(?<![\w.,])[-+−]?\d{1,40}(?:[.,\u00a0\u202f ’']\d{3})*(?:[.,]\d{1,40})?(?![\w])"
)
_LINE, _CHOICE, _WORDS = 200, 40, 3
"""The longest a number's sentence and a choice are, in characters, and a choice in words."""


def _number(text: str) -> Ballot | None:
    """The one number of a short text."""
    text = _said(text)
    found = _NUMBER.findall(text) if len(text) <= _LINE and "\n" not in text else []
    values = {value for each in found if (value := _value(each)) is not None}
    if len(values) != 1 or len(found) != len(re.findall(r"\d[\d.,\u00a0\u202f ’']*", text)):
        return None
    return Ballot(f"{values.pop():f}", found[0].strip())


def _value(text: str) -> Decimal | None:
    """Of "1,234.5", "1.234,5" or "0,5". A single dot is a decimal point."""
    text = re.sub(r"[\u00a0\u202f ’']", "", text).replace("−", "-")
    commas, dots = text.count(","), text.count(".")
    if commas and dots:
        last = max(text.rfind(","), text.rfind("."))
        text = re.sub(r"[.,]", "", text[:last]) + "." + text[last + 1 :]
    elif commas == 1 and not re.fullmatch(r"[-+]?[1-9]\d{0,2},\d{3}", text):
        text = text.replace(",", ".")
    elif commas or dots > 1:
        text = re.sub(r"[.,]", "", text)
    try:
        return Decimal(text).normalize()
    except InvalidOperation:
        return None


def _choice(text: str) -> Ballot | None:
    """One of a few words."""
    text = _said(text)
    value = re.sub(r"[\s.!。*_`\"“”()]+", " ", text).strip().casefold()
    if not value or len(text) > _CHOICE or len(value.split()) > _WORDS or value[0] in "{[":
        return None
    return Ballot(value, text)


def _form(text: str) -> Ballot | None:
    """An object or a list of JSON."""
    fenced = _FENCE.search(text)
    try:
        found = json.loads(fenced[1] if fenced else text)
        if isinstance(found, dict | list):
            value = json.dumps(found, sort_keys=True, ensure_ascii=False)
            return Ballot(value, value)
    except (ValueError, RecursionError):
        pass
    return None


def _said(text: str) -> str:
    """What follows "Answer:", or all of it."""
    found = (said for words in reversed(_ANSWER.findall(text)) if (said := words.strip("* \t\r")))
    return next(found, text.strip())


def ballots(found: Sequence[Message]) -> tuple[dict[str, Ballot], str]:
    """By letter what the answers come to, and "" ; or why they cannot be counted."""
    said = answers(found)
    if any(m.status != "complete" or m.stats.get("reason") in {"length", "memory"} for m in said):
        return {}, tr("A reply was cut off and cannot be counted.")
    for read in (_form, _number, _choice):
        votes = {letter_of(m): vote for m in said if (vote := read(m.content)) is not None}
        if len(votes) == len(said):
            return votes, ""
    return {}, tr("Only numbers, short choices and JSON can be counted. These replies are texts.")


def count(found: Sequence[Message]) -> str:
    """The result of a vote, as Markdown. Nothing of it is a model's."""
    votes, _ = ballots(found)
    tally = Counter(vote.value for vote in votes.values())
    ranked = tally.most_common()
    value, most = ranked[0]
    shown = {vote.value: _code(vote.shown) for vote in reversed(votes.values())}
    if most == len(votes):
        words = tr("All {total} say {value}.", total=most, value=shown[value])
    elif len(ranked) > 1 and ranked[1][1] == most:
        words = tr("No reply has more votes than the others.")
    else:
        words = tr(
            "{most} of {total} say {value}.", most=most, total=len(votes), value=shown[value]
        )
    lines = [
        f"- {shown[value]}: " + listed(by_letter(m for m in found if _vote(votes, m) == value))
        for value, _ in ranked
    ]
    silent = [m for m in found if letter_of(m) not in votes]
    if silent:
        lines.append("- " + tr("No reply: {names}", names=listed(by_letter(silent))))
    return "\n".join([words + " " + tr("Agreement is not truth."), "", *lines])


def _vote(votes: Mapping[str, Ballot], message: Message) -> str:
    vote = votes.get(letter_of(message))
    return vote.value if vote is not None else ""


def _code(text: str) -> str:
    """As it was written, and no Markdown."""
    text = " ".join(text.split())
    ticks = "`" * (max(map(len, re.findall(r"`+", text)), default=0) + 1)
    space = " " if "`" in text else ""
    return f"{ticks}{space}{text[:300]}{space}{ticks}"
