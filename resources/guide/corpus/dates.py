"""Questions about the date and time, answered by a tool if it is offered, else declined."""
# ruff: noqa: E501 - phrase tables read better unwrapped

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from random import Random

from . import words
from .grammar import pick
from .memory import finish
from .turn import Turn

DATE = ("date", "The current date, time and time zone.")
OTHERS = [
    ("calculate", "Evaluates arithmetic, e.g. (2 + 3) * 4 ** 0.5. Knows sqrt, log, sin, pi and the like."),
    ("fetch", "Fetches one public web address and gives back its text."),
    ("list_folder", "Lists a folder; without a path, the folders that the person has granted."),
    ("python", "Runs Python without network and files; gives back what it prints."),
    ("read_file", "Reads a text file in a granted folder."),
    ("search_files", "Finds files in granted folders by name (*.md) and by a text that a line contains."),
    ("write_file", "Writes a whole text file in a granted folder. The person is shown the difference first."),
    ("notes__add", "Adds a note."),
    ("mail__search", "Searches the mail box for words."),
    ("weather__today", "The weather at a place."),
]  # fmt: skip
ZONES = {
    "UTC": 0, "GMT": 0, "CET": 60, "CEST": 120, "BST": 60, "EST": -300, "EDT": -240, "CST": -360,
    "PST": -480, "PDT": -420, "JST": 540, "IST": 330, "EET": 120, "AEST": 600, "MSK": 180,
}  # fmt: skip

ASK = {
    "date": [
        "{what is|what's|whats|tell me|give me|say|show me|do you know|can you tell me|could you tell me|i need|i forgot} {the date|today's date|todays date|the date of today|the current date|the date today}{ please|}",
        "what date {is it|is it today|is today|do we have|have we got|do we have today|are we on}",
        "{what|which} day of the month {is it|is it today|is today|do we have}",
        "{the date|today's date|date|current date|date of today}{ please|}",
        "{which|what} date {should i write|do i write|must i put|goes} {on this letter|on a letter|on top|today}",
        "{i need|i want} {to date a letter|to write the date|the date for a letter}{, what is it| today|}",
        "{call|try|take|with} {the|the date|that} tool{,| and} {say|find|tell me} {the date|what date it is|today's date}",
        "{how old is the month|how far is the month|how many days of the month are over}{, what date is it|}",
        "{look up|check|find out} {the date|what date it is|today's date}{ for me|}",
    ],
    "day": [
        "{what|which} {day|weekday|day of the week} {is it|is it today|is today|do we have|do we have today|have we got|is this}",
        "{tell me|do you know|can you tell me|say|could you tell me|i forgot|remind me} {what day it is|which day it is|what day it is today|which day of the week it is|what weekday we have|the day of the week}{ please|}",
        "{is it|is today} {monday|tuesday|wednesday|thursday|friday|saturday|sunday|the weekend|a weekday}{ today| already|}",
        "{is it|is today|do we have|is this} {a |}<w>{ or a| or} <x>{ today|}",
        "{is it|is today|would today be} a <w>{ today| already|}",
        "{what day|which day|day of the week|weekday|today is what day|today}",
        "{i lost track of|i have lost track of|i am confused about} {the days|the day|time|what day it is}{, what day is it|, which day is it|}",
        "{look up|check|find out} {what day it is|the day|which weekday it is}{ for me|}",
    ],
    "month": [
        "{what|which} month {is it|is it now|are we in|do we have|is this|is it today|have we got}",
        "{tell me|do you know|can you tell me|could you tell me|say} {the month|what month it is|which month it is|the current month|which month we have}{ please|}",
        "{the current month|current month|the month|which month|what month}{ please|}",
        "{in what|in which} month are we",
        "{is it|are we in|is this|have we got} {already |}<m>{ already| yet|}",
        "{and|so} {what|which} month{ is it|}",
    ],
    "year": [
        "{what|which} year {is it|is it now|are we in|do we have|is this|is it today|have we got}",
        "{tell me|do you know|can you tell me|could you tell me|say} {the year|what year it is|which year it is|the current year|which year we have}{ please|}",
        "{the current year|current year|the year|which year|what year}{ please|}",
        "{in what|in which} year are we",
        "{is it|is this|are we in|do we write} {2024|2026|2027|2030|2033}{ already| now| yet|}",
        "{and|so} {what|which} year{ is it|}",
    ],
    "time": [
        "{what time|how late} {is it|is it now|is it right now|do we have|is it here}",
        "{what is|what's|whats|tell me|give me|say|do you know|can you tell me} {the time|the current time|the time now|what time it is|how late it is}{ please|}",
        "{time|the time|current time|clock|time now}{ please|}",
        "{do you have|have you got} the time",
        "{is it|are we} {past midnight|past noon|evening|still morning|late}{ already| yet|}{, what time is it|, what is the time}",
        "what {do the clocks|does my watch} {say|show}",
        "{look at|check} {the clock|the time}{ for me|}",
    ],
}  # fmt: skip
NO_CLOCK = [
    "I cannot know that: I have no clock. Switch on the date tool with the wrench in the chat's header, and I will look.",
    "I have no clock, so I cannot know that. With the date tool (the wrench in the chat's header) I could look.",
]
FAILED = {
    "The person did not allow this call.": "Then I cannot tell: you did not allow me to look at the date.",
    "The call was stopped before it ended.": "I cannot tell: the call was stopped before it ended.",
    "The tool failed: OSError.": "I cannot tell: the date tool failed.",
}
BY_TOOL = "They ask for the date or the time. The tool date tells it."
CALL = '<tool_call>\n{"name": "date", "arguments": {}}\n</tool_call>'
"""Equal to the result of `conversation.called`."""


def moment(rng: Random) -> datetime:
    """Return a random minute in about twenty years, in a random time zone."""
    name = rng.choice(list(ZONES))
    zone = timezone(timedelta(minutes=ZONES[name]), name)
    begin = datetime(2024, 1, 1, tzinfo=zone)
    return begin + timedelta(seconds=rng.randrange(22 * 365 * 86_400))


def told(here: datetime) -> str:
    """Return the tool's result, in the format of `app.tools.builtin`."""
    return f"{here:%A, %d %B %Y, %H:%M} {here:%Z} ({here.isoformat(timespec='seconds')})"


def answer(kind: str, here: datetime, rng: Random) -> str:
    """Return the requested part of the date."""
    if kind == "month":
        return f"It is {here:%B %Y}."
    if kind == "year":
        return f"It is the year {here:%Y}."
    if kind == "time":
        return f"It is {here:%H:%M}."
    return f"Today is {here:%A}, {here.day} {here:%B %Y}."


def asked(rng: Random) -> tuple[str, str]:
    """Return the requested part and the question."""
    kind = rng.choice(("date", "date", "day", "day", "month", "year", "time"))
    question = pick(rng, ASK[kind])
    for slot, names in (("<w>", words.DAYS), ("<x>", words.DAYS), ("<m>", words.MONTHS)):
        question = question.replace(slot, rng.choice(names))
    return kind, finish(rng, question, True)


def by_tool(rng: Random) -> Turn:
    """Return a turn with a call of the tool, and an answer from its result."""
    kind, question = asked(rng)
    if rng.random() < 0.05:
        result = rng.choice(list(FAILED))
        return Turn(question, FAILED[result], "There is no date to read.", "date", "date", result)
    here = moment(rng)
    return Turn(
        question, answer(kind, here, rng), "The result tells it.", "date", "date", told(here)
    )


def only_call(rng: Random) -> Turn:
    """Return a turn that ends with the call, for conversations with reasoning."""
    return Turn(asked(rng)[1], CALL, BY_TOOL, "call")


def without(rng: Random) -> Turn:
    """Return a turn without the tool, so the date is unknown."""
    question = asked(rng)[1]
    return Turn(question, rng.choice(NO_CLOCK), "I have no clock, and no tool for it.", "limit")


def offered(rng: Random) -> list[tuple[str, str]]:
    """Return the tools of a chat in the app's order, mostly with the date tool."""
    roll = rng.random()
    others = rng.sample(OTHERS, rng.choice((1, 1, 2, 3, 7)) if roll > 0.6 else 0)
    return sorted([*others, DATE] if roll < 0.85 else others)
