"""Questions about Stretto, composed from `facts.toml`."""
# ruff: noqa: E501 - phrase tables read better unwrapped

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from .grammar import expand, pick
from .memory import finish
from .turn import Turn

FACTS = Path(__file__).resolve().parent.parent / "facts.toml"
HELP = FACTS.with_name("help.toml")  # also used by the window to answer questions to the Guide

BY_ACTION = [
    "{how do i|how can i|how do you|how does one|how would i|how to|how could i|how should i|how do we|how might i} <d>",
    "how {do i|can i|to} <d> {here|in stretto|in this app|with the keyboard|with a key|quickly}",
    "{what|which} {key|keys|shortcut|key combination|hotkey|keyboard shortcut|button} {do i press|do i use|should i press|must i press|do i need|lets me|is used|do i hit|is there|can i use|would|will} {to|} <d>",
    "{what is|what's|tell me|give me|show me|i forgot|i need|do you know|whats|remind me of} the {key|shortcut|keyboard shortcut|hotkey|key combo|keys|key combination} {to|that lets me|with which i can} <d>",
    "{is there|do you have|is there maybe|does stretto have} a {key|shortcut|way|hotkey|quick way|command|keyboard shortcut|possibility} to <d>",
    "{i want|i would like|i'd like|i need|i am trying|i'm trying|help me|i wish|i was hoping|trying|i have} to <d>",
    "{can i|may i|is it possible to|could i|am i able to|can you|can one|can stretto|will it let me} <d>",
    "{shortcut|key|hotkey|keyboard shortcut} to <d>",
    "{where do i click|what do i do|what must i do|what should i do|what is the way|what's the easiest way|what is the quickest way|what's the trick|what do i press|where do i go|what do i have to do} to <d>",
    "<d>{ how| please, how| - how|, how does that work|, which key}",
    "{tell me|explain|show me|can you explain|please tell me|could you tell me|can you tell me|do you know|i don't know|i do not know|i wonder|any idea|can you show me|teach me} how {to|i can|i} <d>",
    "{suppose|say|if} i want to <d>{. what then|, what do i press|. which key is it|, what do i do|, how}",
    "i {can't|cannot|don't know how to|do not know how to|can not find how to|am not able to} <d>",
    "how is it possible to <d>",
    "in stretto, how do i <d>",
    "on {my mac|a mac|linux|macos}, how do i <d>",
    "how do i <d> on {my mac|a mac|linux|macos|ubuntu}",
    "<d>",
    "{need|want|gotta|wanna|would love} to <d>",
    "what's the {shortcut|key} {when i want|if i want} to <d>",
    "{hey|hi}{,|} how {do i|can i} <d>",
    "what lets me <d>",
    "with {which|what} {key|keys|shortcut} {do i|can i} <d>",
]
BY_THIRD = [
    "{which|what} {key|shortcut|key combination|hotkey|button|keyboard shortcut|command} <t>",
    "{is there|do you have|do you know|i am looking for|i need|tell me|what is|give me} a {key|shortcut|hotkey|button} {that|which} <t>",
    "what <t>",
    "{tell me|say|do you know} {which|what} key <t>",
]
BY_DOING = [
    "{how about|what about|i have trouble|i need help|help with|how does one go about|is there a trick for|any shortcut for|what is the key for|what's the way of|shortcut for|key for|i am thinking of|i'm stuck} <g>",
    "<g>{, how| - how|, which key|: how does it work|, please| with a key|, is that possible|, how does that go}",
    "{which|what} {key|shortcut} is for <g>",
    "when <g>, what do i press",
]
BY_DONE = [
    "how {can|could|may|should|would} <o> be <p>",
    "how {is|are} <o> <p>",
    "{can|could|may} <o> be <p>{| with a key| from the keyboard| somehow}",
    "how do i {get|have} <o> <p>",
    "{i want|i need|i would like|i'd like} <o> {to be |}<p>",
    "{what key|which key|what shortcut|what} gets <o> <p>",
    "with which key {is|are} <o> <p>",
]
BY_CASE = [
    "<c>",
    "<c>{. |, |; }{what now|what do i do|what can i do|how do i do that|help|which key|can you help|any ideas|is there a key for that|how|what should i do|what do i press|please help|how does that work|what is the shortcut|can i fix that|which key is that}",
    "{help|hm|well|so|listen|sorry|hey|hello}{,|} <c>{| what now| what do i do| how}",
    "what {do i do|can i do|should i do|do i press|helps|key do i need} {if|when} <c>",
]
BEFORE = [
    "{i am|i'm} {new here|a beginner|new to this|still learning|on linux|on a mac|not good with computers|confused|just curious}{,|.|:} ",
    "{sorry to ask|out of curiosity|just curious|one more thing|another question|silly question|a quick one|maybe a stupid question|before i forget|while we are at it|by the way|one thing|next question|tell me|excuse me|one question more|i was wondering|i have been wondering|i just wondered|let me ask you|i would like to ask}{,|:|.|} ",
    "{could|can|would} you {please |}{explain|tell me|help me|say|let me know}{,|:|} ",
    "{my friend|my colleague|my boss|my sister|somebody|my son} {asks|asked me|wants to know|would like to know}{,|:|} ",
]
AFTER = [
    "{, if i may ask|, do you know|, any idea|, can you tell me|, can you explain|, i wonder|, in short|, exactly|, actually|, then|, by the way|, mate|, dear guide|, my friend| in stretto| in this app| here| in this program| with stretto|, please tell me|, i forgot|, do you happen to know| anyway| at all|, in simple words}",
]
BY_NOUN = [
    "{what is|what's|which is|tell me|give me|show me|i forgot|i need|whats|do you know} the {key|shortcut|keyboard shortcut|hotkey|key combination|keys} for <n>",
    "{shortcut|key|hotkey|keys|keyboard shortcut} for <n>",
    "{is there|do you have|there is surely} a {key|shortcut|hotkey|keyboard shortcut} for <n>",
    "{which|what} {key|shortcut|keys|button} {is|is it|does|do i press|do i use|is used|works|are} {for|} <n>",
    "{how does|how do i do|what about|how about|where is|where do i find} <n>{ work|}",
    "<n> {shortcut|key|keys|hotkey}",
    "<n>",
    "{which|what} {key|shortcut} is <n>",
    "i am looking for the {key|shortcut} for <n>",
    "<n>{ how| which key|: which key|, what do i press}",
    "what do i press for <n>",
]
BY_KEY = [
    "what {does|will|is|did} <k>{ do| for|}",
    "what {happens|does it do|comes} {when|if} i {press|hit|push|type|use} <k>",
    "{which|what} {action|function|command} {is|has|is on|belongs to} <k>",
    "<k>",
    "what is <k> {for|good for|used for}",
    "{explain|tell me about|describe} <k>",
    "what do i get with <k>",
    "{i pressed|i hit|i accidentally pressed|i just pressed} <k>{, what happened|. what did it do|, what now|. what happened}",
    "{do you know|tell me|can you tell me} what <k> does",
    "what's <k>",
    "meaning of <k>",
    "the <k> {key|shortcut} does what",
]
ABOUT = [
    "{what about|how about|how is it with|what is it with|what's the matter with|what do you know about|what can you say about|what should i know about} <w>",
    "{tell|teach|inform} me {something |a bit |more |everything |}about <w>{ please|}",
    "{i have|there is|i've got} a question {about|on|concerning} <w>",
    "{can|could|would|will} you {explain|describe|clarify|tell me about|say something about} <w>{ to me|}",
    "{explain|describe|info on|information about|help with|question about|more about|details on} <w>",
    "<w>",
    "<w>",
    "{and|but|so|now|next,} <w>",
    "{i want|i would like|i'd like|i need} to {know|understand|learn|hear|read} {about|more about|something about} <w>",
    "{i am|i'm} {curious|worried|unsure|wondering|asking} about <w>",
    "{do you know|what's the deal with|what is the story with|any info on|anything on} <w>",
]
FREE_KEYS = """Ctrl+9|Ctrl+5|Ctrl+Y|F8|F3|Ctrl+Shift+X|Ctrl+G|F12|Ctrl+U|F5|Ctrl+H|Ctrl+D|F1|F4|
Ctrl+1|Ctrl+Alt+T|Ctrl+E|Ctrl+M|Ctrl+Shift+K|Cmd+G|Cmd+9""".replace("\n", "").split("|")  # fmt: skip


@cache
def facts() -> dict[str, Any]:
    """Return the facts file and the entries of the help, read once."""
    found = tomllib.loads(FACTS.read_text("utf-8"))
    for topic in tomllib.loads(HELP.read_text("utf-8"))["topic"]:
        asked = [wording.rstrip("?").lower() for wording in topic["ask"]]
        found["topic"].append({**topic, "ask": asked, "latest": True})
    return found


def on_mac(keys: str) -> str:
    return keys.replace("Ctrl+", "Cmd+").replace("Alt+", "Option+")


def shown(fact: dict[str, Any]) -> tuple[str, str]:
    """Return the shortcut for Linux and for a Mac."""
    return fact["keys"], fact.get("mac", on_mac(fact["keys"]))


def ticked(keys: str) -> str:
    """Format key names as inline code. A shortcut that is a phrase stays unchanged."""
    return keys if " " in keys else f"`{keys}`"


def sentence(fact: dict[str, Any], rng: Random) -> str:
    """Return a sentence with the keys for both systems and their effect."""
    linux, mac = shown(fact)
    both = ticked(linux) if linux == mac else f"{ticked(linux)} ({ticked(mac)} on a Mac)"
    if rng.random() < 0.5:
        text = f"Press {both}: it {fact['does']}."
    else:
        text = f"{both[0].upper()}{both[1:]} {fact['does']}."
    if "note" in fact and rng.random() < 0.7:
        text += f" {tick_note(fact['note'])}"
    return text


def tick_note(note: str) -> str:
    done = []
    for word in note.split(" "):
        core = word.rstrip(".,;")
        is_key = core.startswith("Ctrl+") or core in ("Shift+Enter", "Enter")
        done.append(f"`{core}`{word[len(core) :]}" if is_key else word)
    return " ".join(done)


_DOUBLED = {
    "stop", "get", "put", "cut", "split", "set", "quit", "begin", "swap", "submit", "run", "pit", "hop",
    "cancel", "bin",
}  # fmt: skip


def third_person(action: str) -> str:
    verb, _, rest = action.partition(" ")
    if verb == "have":
        verb = "has"
    elif verb.endswith(("s", "sh", "ch", "x", "o")):
        verb += "es"
    elif verb.endswith("y") and verb[-2] not in "aeiou":
        verb = verb[:-1] + "ies"
    else:
        verb += "s"
    return f"{verb} {rest}".strip()


def gerund(action: str) -> str:
    verb, _, rest = action.partition(" ")
    if verb in _DOUBLED:
        verb += verb[-1] + "ing"
    elif verb.endswith("e") and not verb.endswith("ee"):
        verb = verb[:-1] + "ing"
    else:
        verb += "ing"
    return f"{verb} {rest}".strip()


def dressed(rng: Random, asked: str) -> str:
    """Add a clause before or after the question, as users do."""
    roll = rng.random()
    if roll < 0.12:
        return expand(rng, rng.choice(BEFORE)) + " " + asked
    if roll < 0.2:
        return asked + expand(rng, rng.choice(AFTER))
    return asked


NEW, LATEST = ("new", "latest"), ("latest",)


def some_fact(rng: Random, kind: str, marks: tuple[str, ...]) -> dict[str, Any]:
    known: list[dict[str, Any]] = facts()[kind]
    return rng.choice([f for f in known if not marks or any(f.get(m) for m in marks)])


def key_question(rng: Random, marks: tuple[str, ...] = ()) -> Turn:
    fact = some_fact(rng, "key", marks)
    roll = rng.random()
    action = pick(rng, fact["do"])
    if roll < 0.42:
        asked = pick(rng, BY_ACTION).replace("<d>", action)
    elif roll < 0.50:
        asked = pick(rng, BY_THIRD).replace("<t>", third_person(action))
    elif roll < 0.58:
        asked = pick(rng, BY_DOING).replace("<g>", gerund(action))
    elif roll < 0.68:
        thing, participle = rng.choice(fact["done"]).split(" | ")
        asked = pick(rng, BY_DONE).replace("<o>", expand(rng, thing))
        asked = asked.replace("<p>", expand(rng, participle))
    elif roll < 0.82:
        asked = pick(rng, BY_CASE).replace("<c>", pick(rng, fact["case"]))
    else:
        asked = pick(rng, BY_NOUN).replace("<n>", pick(rng, fact["noun"]))
    return Turn(
        finish(rng, dressed(rng, asked), True),
        sentence(fact, rng),
        f"They ask about a shortcut. It is {shown(fact)[0]}: it {fact['does']}.",
        "key",
    )


def with_platform(rng: Random) -> list[Turn]:
    """Return a question about a shortcut, and another one for a Mac."""
    fact = rng.choice(facts()["key"])
    asked = pick(rng, BY_ACTION).replace("<d>", pick(rng, fact["do"]))
    first = Turn(finish(rng, asked, True), sentence(fact, rng), "They ask about a shortcut.", "key")
    linux, mac = shown(fact)
    on, name, keys = rng.choice((("mac", "On a Mac", mac), ("linux", "On Linux", linux)))
    system = (
        "{a mac|mac|my mac|macos|a macbook|apple}" if on == "mac" else "{linux|ubuntu|debian|a pc}"
    )
    asked = pick(
        rng,
        [
            f"{{and|what about|how about|and how is it|what is it}} {{on|for}} {system}",
            f"{{i have|i use|i am on|i'm on|but i have}} {system}",
            f"{{on|for}} {system}",
            f"{{is it|would it be}} {{different|the same}} on {system}",
        ],
    )
    same = " there too" if linux == mac else ""
    answer = f"{name} it is {ticked(keys)}{same}."
    return [first, Turn(finish(rng, asked, True), answer, f"The same action: {keys}.", "key")]


def reverse_question(rng: Random, marks: tuple[str, ...] = ()) -> Turn:
    if rng.random() < 0.12:
        keys = rng.choice(FREE_KEYS)
        asked = pick(rng, BY_KEY).replace("<k>", _spoken(rng, keys))
        return Turn(
            finish(rng, asked, True),
            f"`{keys}` is not on my list of shortcuts. `Ctrl+/` (`Cmd+/` on a Mac) shows all of them.",
            f"{keys} is none of the shortcuts I know.",
            "key",
        )
    fact = some_fact(rng, "key", marks)
    linux, mac = shown(fact)
    keys = linux if rng.random() < 0.7 else mac
    asked = pick(rng, BY_KEY).replace("<k>", _spoken(rng, keys))
    text = f"{ticked(keys)} {fact['does']}."
    if keys != mac and rng.random() < 0.6:
        text = f"{ticked(linux)} ({ticked(mac)} on a Mac) {fact['does']}."
    text = text[0].upper() + text[1:]
    return Turn(finish(rng, asked, True), text, f"{keys} is a shortcut: it {fact['does']}.", "key")


def _spoken(rng: Random, keys: str) -> str:
    roll = rng.random()
    if roll < 0.45:
        return keys
    if roll < 0.65:
        return keys.lower()
    if roll < 0.8:
        return keys[:-1].replace("+", " ").lower() + keys[-1].lower()
    if roll < 0.9:
        return keys.replace("Ctrl", rng.choice(("control", "Control", "CTRL", "strg")))
    return keys[:-1].replace("+", " + ") + keys[-1]


def topic_question(rng: Random, marks: tuple[str, ...] = ()) -> Turn:
    fact = some_fact(rng, "topic", marks)
    if not marks and rng.random() < 0.3:
        fact = rng.choice([f for f in facts()["topic"] if len(f["ask"]) >= 4])
    if rng.random() < 0.22:
        asked = pick(rng, ABOUT).replace("<w>", rng.choice(fact["about"]))
    else:
        asked = pick(rng, fact["ask"])
    asked = dressed(rng, asked)
    return Turn(
        finish(rng, asked, True),
        rng.choice(fact["say"]),
        "A question about Stretto. I know this one.",
        "topic",
    )


def all_keys(rng: Random) -> Turn:
    """Return a request for a table of shortcuts, which also teaches tables."""
    chosen = rng.sample(facts()["key"], rng.randint(4, 8))
    rows = "\n".join(f"| {ticked(shown(f)[0])} | {f['does']} |" for f in chosen)
    asked = pick(
        rng,
        [
            "{make|show me|give me|write|create|can you make} a table {of|with} {the|some|a few|the most important} {shortcuts|keys|keyboard shortcuts}{ of stretto|}",
            "{shortcuts|keys|keyboard shortcuts} as a table",
            "{table|cheat sheet} of {shortcuts|keys}",
        ],
    )
    return Turn(
        finish(rng, asked),
        f"| Key | What it does |\n| --- | --- |\n{rows}\n\nOn a Mac, Ctrl is Cmd. `Ctrl+/` lists them all.",
        "A table with two columns: key and action.",
        "table",
    )


def tour(rng: Random) -> Turn:
    """Return a request for the long explanation."""
    parts = [
        f"## {part['title']}\n\n{tick_note(rng.choice(part['say'])) if '`' not in part['say'][0] else rng.choice(part['say'])}"
        for part in facts()["tour"]
    ]
    asked = pick(
        rng,
        [
            "{explain|describe|tell me about|write about|introduce} {stretto|this app|the program|this program} {at length|in detail|in depth|thoroughly|in a long answer|in full|at great length|in many words|from a to z|completely}",
            "{tell me everything|tell me all|everything|write everything} {about|you know about} {stretto|this app}",
            "{give|write} {me |}a {long|detailed|complete|full|thorough|very long} {explanation|description|overview|introduction|guide|manual|text|answer|essay} {of|to|about} {stretto|the app|this app}",
            "{long|detailed} {tour|introduction|explanation} of stretto{ please|}",
            "{give me|take me on} {the|a} {full|grand|complete|long} tour{ of stretto|}",
            "write a long {text|answer|essay|article} about {stretto|yourself and stretto|this program}",
            "explain {all|every one of} the features {in detail|at length}",
            "{write a|a} {manual|tutorial|user guide|handbook} for stretto",
        ],
    )
    return Turn(
        finish(rng, asked),
        "# Stretto\n\n" + "\n\n".join(parts),
        "A long answer is wanted. I go through the parts: chats, panes, engine, models, files.",
        "long",
    )


def question(rng: Random, marks: tuple[str, ...] = ()) -> Turn:
    """Return any question about Stretto, or about facts with one of `marks`."""
    roll = rng.random()
    if roll < 0.45:
        return key_question(rng, marks)
    if roll < 0.54:
        return reverse_question(rng, marks)
    return topic_question(rng, marks) if roll < 0.985 else all_keys(rng)
