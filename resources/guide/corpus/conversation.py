"""Whole conversations: random sequences of episodes, as training text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from . import dates, limits, markup, memory, skills, story, stretto, talk, words
from .heldout import is_held_out
from .turn import Turn

SYSTEMS = [
    "You are a helpful assistant.", "Be brief.", "You are the Guide.", "Answer in short sentences.",
    "You are a friendly guide to Stretto.", "Be polite and plain.", "You are Guide, a tiny model.",
    "Answer briefly and honestly.", "You help people with Stretto.", "You are a chat assistant.",
    "Be kind.", "Use Markdown.", "Keep your answers short.", "You are a careful assistant.",
]  # fmt: skip


@dataclass
class Conversation:
    """Turns with an optional system message. ``reasons``: the last answer has reasoning.

    `tools` are pairs of name and description, offered in the system turn. If it is `begun`,
    training uses only the start of the answer, which already shows which answer it is.
    """

    turns: list[Turn] = field(default_factory=list)
    system: str = ""
    reasons: bool = False
    tools: list[tuple[str, str]] = field(default_factory=list)
    begun: bool = False


def distractor(rng: Random) -> Turn:
    """Return a turn that needs no memory, with the frequencies of a real chat."""
    roll = rng.random()
    if roll < 0.54:
        return stretto.question(rng)
    if roll < 0.63:
        return talk.small_talk(rng)
    if roll < 0.81:
        return skills.task(rng)
    if roll < 0.86:
        return limits.beyond(rng)
    if roll < 0.87:
        return limits.unknown(rng)
    if roll < 0.88:
        return dates.without(rng)
    if roll < 0.98:
        return markup.markdown(rng)
    if roll < 0.99:
        return story.short_story(rng)
    return story.poem(rng) if rng.random() < 0.5 else story.sentences(rng)


def short_distractor(rng: Random) -> Turn:
    """Return a short turn, for long conversations about remembered things."""
    roll = rng.random()
    if roll < 0.3:
        return talk.small_talk(rng)
    if roll < 0.6:
        return skills.task(rng)
    return limits.beyond(rng) if roll < 0.68 else stretto.question(rng)


def remembering(rng: Random) -> Conversation:
    """Return a conversation with things told, other talk, and questions about them.

    Some things are corrected, and some questions are about things that were never told.
    """
    chat = Conversation()
    turns = chat.turns
    taken: set[str] = set()
    told: list[memory.Item] = []
    if rng.random() < 0.06:
        item = memory.some_item(rng, taken)
        told.append(item)
        chat.system = (
            f"{rng.choice(SYSTEMS)} {item.statement.replace('Your ', 'The user says: my ')}."
        )
        if item.statement.startswith("The "):
            chat.system = f"{rng.choice(SYSTEMS)} {item.statement}."
    if rng.random() < 0.25:
        turns.append(talk.greeting(rng))
    if rng.random() < 0.05:
        turns.append(name_and_question(rng, told, taken))
    if rng.random() < 0.03:
        turns.append(pasted(rng))
    rounds = rng.choice((1, 1, 1, 2, 2, 3, 4))
    gap = rng.choice((0, 0, 1, 1, 2, 3, 5))
    if rng.random() < 0.03:
        rounds, gap = rng.choice(((1, 45), (2, 22), (3, 12)))  # recall over a long distance
    for _ in range(rounds):
        for _ in range(rng.choice((1, 1, 1, 1, 2, 3))):
            if len(told) < 6:
                item = memory.some_item(rng, taken)
                if rng.random() < 0.15:
                    turns.append(item.ask_untold(rng))
                turns.append(item.tell(rng))
                told.append(item)
        turns += [short_distractor(rng) for _ in range(rng.randint(0, gap))]
        if rng.random() < 0.2:
            just_told = bool(turns) and turns[-1].kind == "tell"
            item = told[-1] if just_told else rng.choice(told)
            fresh = _another_value(rng, item)
            if fresh:
                turns.append(item.correct(rng, fresh, just_told))
                turns += [short_distractor(rng) for _ in range(rng.randint(0, 1))]
        asked = rng.sample(told, min(len(told), rng.choice((1, 1, 2, 3))))
        for item in asked:
            turns.append(item.ask(rng, len(told) == 1))
            if rng.random() < 0.25:
                turns.append(short_distractor(rng))
        if rng.random() < 0.22:
            turns.append(memory.some_item(rng, set(taken)).ask_untold(rng))
        if len(told) > 1 and rng.random() < 0.15:
            turns.append(memory.both(rng, *rng.sample(told, 2)))
        if rng.random() < 0.14:
            turns.append(memory.recap(rng, told))
        if rng.random() < 0.05:
            turns.append(memory.quote_back(rng, turns))
    if told and rng.random() < 0.3:
        turns.append(rng.choice(told).ask(rng, len(told) == 1))
    return chat


def name_and_question(rng: Random, told: list[memory.Item], taken: set[str]) -> Turn:
    item = memory.name_item(rng)
    told.append(item)
    taken.add(item.noun)
    question = stretto.question(rng)
    hello = rng.choice(("Hi, i'm", "Hello, my name is", "i am", "My name is", "this is", "I'm"))
    said = f"{hello} {item.value}{rng.choice(('. ', ', ', ' and ', '. '))}{question.user}"
    return Turn(said, f"Hello, {item.value}. {question.answer}", question.thought, "tell")


def pasted(rng: Random) -> Turn:
    text = story.short_story(rng).answer
    asked = rng.choice(("read this", "here is a text", "look at this text", "a story for you"))
    thanks = rng.choice(("Thank you, I have read it.", "I have read it. What would you like?"))
    return Turn(f"{asked}:\n\n{text}", thanks, "A longer text. I read it.", "paste")


def _another_value(rng: Random, item: memory.Item) -> str:
    """Return a new value of the same type, or "" if the type is complex."""
    if item.noun == "your name" or item.noun.startswith("the name of"):
        return words.person(rng)
    if item.slots.get("k") and item.noun != "your age":
        return words.secret(rng)
    return ""


def nothing_told(rng: Random) -> Conversation:
    chat = Conversation()
    turns = chat.turns
    taken: set[str] = set()
    turns += [short_distractor(rng) for _ in range(rng.choice((0, 0, 1, 2)))]
    for _ in range(rng.choice((1, 1, 2))):
        item = memory.some_item(rng, taken)
        turns.append(item.ask_untold(rng))
        if rng.random() < 0.6:
            turns.append(item.tell(rng))
            turns.append(item.ask(rng, False))
    if rng.random() < 0.15:
        turns.insert(0, memory.recap(rng, []))
    return chat


def mixed(rng: Random) -> Conversation:
    turns = [talk.greeting(rng)] if rng.random() < 0.15 else []
    turns += [distractor(rng) for _ in range(rng.choice((1, 1, 2, 2, 3, 4, 6)))]
    if rng.random() < 0.07:
        turns += stretto.with_platform(rng)
    if rng.random() < 0.06:
        turns.append(memory.quote_back(rng, turns))
    return Conversation(turns)


def reading(rng: Random) -> Conversation:
    """Return a conversation of repetitions, which teach the network to look back."""
    return Conversation([memory.echo(rng) for _ in range(rng.randint(1, 6))])


def tooled(rng: Random) -> Conversation:
    """Return a conversation with tools. Only the date tool is called, when it is needed."""
    chat = Conversation(tools=dates.offered(rng))
    known = dates.DATE in chat.tools
    turns = chat.turns
    for _ in range(rng.choice((1, 1, 2, 2, 3, 4))):
        roll = rng.random()
        if roll < 0.55:
            turns.append(dates.by_tool(rng) if known else dates.without(rng))
        elif roll < 0.65:
            item = memory.some_item(rng, set())
            turns += [item.tell(rng), item.ask(rng, False)]
        else:
            turn = distractor(rng)
            while "no clock" in turn.answer and known:
                turn = distractor(rng)
            turns.append(turn)
    if known and rng.random() < 0.15:
        turns.append(dates.only_call(rng))
        chat.reasons = rng.random() < 0.6
    return chat


def fresh(rng: Random) -> Conversation:
    """Return a conversation about what older models lack: new facts, the tool, named heroes."""
    roll = rng.random()
    if roll < 0.30:
        return tooled(rng)
    if roll < 0.34:
        return Conversation([story.long_story(rng)])
    if roll < 0.38:
        first = rng.choice((story.short_story, stretto.question, dates.without))
        return Conversation([first(rng), dates.without(rng)])
    if roll < 0.50:  # refusals mention Get Model, and other languages have their own sentence
        kinds = (limits.beyond, limits.beyond, talk.small_talk, talk.small_talk)
        return Conversation([kind(rng) for kind in rng.sample(kinds, rng.choice((2, 3)))])
    # Half are about any fact, so that old facts stay distinct from the new ones.
    marks = [stretto.NEW if rng.random() < 0.5 else () for _ in range(rng.choice((2, 3, 4, 6)))]
    return Conversation([stretto.question(rng, mark) for mark in marks])


def latest(rng: Random) -> Conversation:
    """Return a conversation about the latest facts, mostly without shortcuts, or about others.

    Other facts keep old knowledge. Most conversations are one question and the start of its answer.
    The texts are learned quickly; which text a question needs takes longer, and starts of answers
    teach that at a third of the cost.
    """
    begun = rng.random() < 0.7
    turns = []
    for _ in range(1 if begun else rng.choice((1, 2, 3, 4, 6))):
        if rng.random() < 0.08:
            turns.append(limits.unknown(rng))
            continue
        marks = rng.choice((stretto.LATEST, stretto.LATEST, stretto.NEW, (), ()))
        ask = stretto.topic_question if marks and rng.random() < 0.5 else stretto.question
        turns.append(ask(rng, marks))
    return Conversation(turns, begun=begun)


def drill(rng: Random) -> Conversation:
    """Return many small tasks of the same type, which need repetition to be learned."""
    kind = rng.choice((skills.total, skills.total, skills.spell, skills.spell, skills.sort))
    return Conversation([kind(rng) for _ in range(rng.randint(6, 16))])


def longform(rng: Random) -> Conversation:
    long = story.long_story(rng) if rng.random() < 0.6 else stretto.tour(rng)
    chat = Conversation([long])
    roll = rng.random()
    if roll < 0.35:
        item = memory.some_item(rng, set())
        chat.turns = [item.tell(rng), long, item.ask(rng, True)]
    elif roll < 0.6:
        chat.turns.append(distractor(rng))
    return chat


def conversation(
    rng: Random, reading_share: float = 0.04, new_share: float = 0.0, latest_share: float = 0.0
) -> Conversation:
    """Return any conversation, with the given shares of new and of latest facts."""
    roll = rng.random()
    if latest_share and rng.random() < latest_share:
        chat = latest(rng)
    elif new_share and rng.random() < new_share:
        chat = fresh(rng)
    elif rng.random() < reading_share:
        chat = reading(rng)
    elif roll < 0.36:
        chat = remembering(rng)
    elif roll < 0.39:
        chat = nothing_told(rng)
    elif roll < 0.41:
        chat = longform(rng)
    elif roll < 0.47:
        chat = drill(rng)
    elif roll < 0.52:
        chat = tooled(rng)
    else:
        chat = mixed(rng)
    if not chat.system and rng.random() < 0.12:
        chat.system = rng.choice(SYSTEMS)
    chat.reasons = chat.reasons or (rng.random() < 0.16 and not chat.begun)
    return chat


def conversations(
    seed: int, reading_share: float = 0.04, new_share: float = 0.0, latest_share: float = 0.0
) -> Iterator[Conversation]:
    """Yield conversations endlessly. The same seed yields the same ones.

    With a large `reading_share`, most of them are repetitions. A network that starts with these
    learns much sooner to look back, which all remembering needs.
    """
    rng = Random(seed)
    while True:
        chat = conversation(rng, reading_share, new_share, latest_share)
        if all(turn.user.strip() and not is_held_out(turn.user) for turn in chat.turns):
            yield chat


def segments(chat: Conversation) -> Iterator[tuple[str, bool]]:
    """Yield the conversation in ChatML, in segments with True if they are learned."""
    system = "\n\n".join(filter(None, (chat.system, offer(chat.tools))))
    if system:
        yield f"<|im_start|>system\n{system}<|im_end|>\n", False
    for index, turn in enumerate(chat.turns):
        # With the space, the first word has the same tokens as in an answer that repeats it.
        yield f"<|im_start|>user\n {turn.user}<|im_end|>\n<|im_start|>assistant\n", False
        thinks = chat.reasons and index == len(chat.turns) - 1
        if turn.call:
            # A call without reasoning is no example for a conversation with reasoning.
            yield f"{called(turn.call)}<|im_end|>", not thinks
            result = f"<tool_response>\n{turn.result}\n</tool_response>"
            yield f"\n<|im_start|>user\n{result}<|im_end|>\n<|im_start|>assistant\n", False
        if thinks:
            yield "<think>\n", False
            thought = turn.thought or "This is simple. I answer at once."
            yield f"{thought}\n</think>\n\n{turn.answer}<|im_end|>", True
        else:
            yield f"{turn.answer}<|im_end|>", True
        yield "\n", False


def offer(tools: list[tuple[str, str]]) -> str:
    """Return the template's text about tools, or "" without tools."""
    if not tools:
        return ""
    lines = [json.dumps({"name": name, "description": about}) for name, about in tools]
    return "\n".join(["Tools:", "<tools>", *lines, "</tools>"])


def called(name: str) -> str:
    """Return a call without arguments, in the template's format."""
    return f'<tool_call>\n{{"name": "{name}", "arguments": {{}}}}\n</tool_call>'
