"""Paraphrases: synonyms, insertions, and omitted words.

The phrase tables have what users ask; this module varies how they ask it. It works on complete
phrases, so a synonym added for one fact applies to all.
"""

# ruff: noqa: E501 - phrase tables read better unwrapped

from __future__ import annotations

import re
from random import Random

from .grammar import KEPT

# Phrases on one line can replace each other everywhere.
SAME = """
how do i|how can i|how could i|how would i|how might i|how does one|how am i supposed to|how should i|what do i do to|what must i press to|what is the trick to|what do i use to|in what way can i|what would i press to|by which key can i|how do people|how would one|what is needed to|what does it take to|what would let me|what will let me
i want to|i would like to|i'd like to|i wish to|i need to|i'd love to|i have to|i am looking to|i plan to|i mean to|i was going to|it would be nice to|i am hoping to|it is time to|my aim is to|i intend to|let me|i feel the need to
i want|i would like|i'd like|i wish for|i need|i'd love|i am after|i am looking for|i could use|i was hoping for|i would prefer
can i|could i|may i|might i|am i able to|is it possible to|is it allowed to|would i be able to|is there a way to|do i get to|will i be able to
can you|could you|would you|will you|are you able to|do you manage to|would it be possible for you to
tell me|let me know|inform me|please say|explain to me|give me a hint|enlighten me|advise me|say to me
which key|what key|which shortcut|which keys|what shortcut|what keys|which hotkey|what combination|which button|what combination of keys|which keystroke|what keystroke|which command
is there|do we have|does it have|does there exist|have you got|does the app have|would there be|will i find|can i find
conversation|chat|dialogue|discussion|exchange
conversations|chats|dialogues|discussions|exchanges
answer|reply|response
answers|replies|responses
message|prompt|line i typed|text
stop|halt|abort|cancel|end
start|begin|open up
delete|remove|erase|get rid of|throw away|throw out|discard|wipe
deleted|removed|erased|got rid of|threw away|discarded|wiped
change|alter|modify|adjust|edit
find|look for|search for|locate|track down|look up
big|large|great
bigger|larger|more capable|stronger|smarter|better
quickly|fast|at speed|rapidly
slow|sluggish|laggy|crawling
see|look at|view|watch
show|display|bring up|reveal|let me see
hide|put away|conceal|tuck away
make|create|produce
use|employ|work with
computer|machine|laptop|pc|box
program|app|application|software|tool|thing
put|place|set|move
next to each other|beside each other|side by side|alongside each other|next to one another|in parallel
once more|again|one more time|another time|a second time|anew
mistake|error|typo|slip
wrong|incorrect|mistaken|not right
screen|display|monitor
list|overview|summary|table
store|keep|save
stored|kept|saved
happens|takes place|occurs
explain|describe|clarify|go over
possible|doable|feasible|an option
pane|panel
previous|last|preceding|earlier
accidentally|by accident|by mistake|without meaning to|unintentionally
go back to|return to|get back to
get back|recover|restore|retrieve
quit|leave|exit|close down
internet|network|web|wifi|net
online|connected|on the internet
offline|without network|without internet|with no connection
private|confidential|secret
free|free of charge|without charge|gratis|at no cost
folder|directory
disk|drive|hard drive|hard disk
at the same time|at once|simultaneously|together|in parallel|concurrently
other|second|further
new|fresh|brand-new
old|earlier|past
what is|what's|what would be|what do you call
what does|what will|what would
where is|where's|where do i find|where would i find|where can i see|in which place is
where are|where do i find|where can i find|where would i find|in what place are
why is|why's|how come it is|for what reason is
works|functions|runs
work|function|run
means|stands for|is about
help|assist|support
model|language model|llm|ai model
typing|writing
typed|wrote|entered
type|write|enter
name|title
rename|give a new name to|retitle
continue|go on|carry on|proceed
pause|hold|suspend|put on hold
resume|continue|unpause
split|divide|cut
close|shut
open|bring up|call up
copy|duplicate|take a copy of
without|with no
only|just|solely
every|each
about|concerning|regarding
a lot of|many|lots of|plenty of
often|frequently|all the time
because|since|as
please|kindly|be so kind and
thanks|thank you|cheers
remember|recall|still know
forgot|have forgotten|cannot recall|do not remember|lost
give me|hand me|let me have|i'd like|pass me
say|state|name|speak
"""  # fmt: skip

INSERTIONS = """actually|really|just|simply|of course|as you know|in fact|if possible|i think|i guess|
i suppose|as far as i know|to be honest|perhaps|maybe|naturally|at least|anyway|somehow|basically|
honestly|frankly|right away|at some point|this evening|this time|oddly|sadly|you see|mind you|
so to speak|kind of|sort of|currently|normally|usually|always|also|then|now|today|for once|
in the end|after all|for example|by any chance|in general|at the moment|for a change|if i may|
as it were|like i said|believe it or not|between us|for sure|certainly|definitely|finally|
on the whole|in my case|on this machine|for me|once in a while|ideally|preferably|quite|even|still
""".replace("\n", "").split("|")  # fmt: skip

# Short insertions are possible after these words.
_AFTER = {
    "i",
    "you",
    "we",
    "it",
    "is",
    "are",
    "was",
    "be",
    "can",
    "could",
    "would",
    "will",
    "should",
    "do",
    "does",
    "did",
    "that",
    "this",
    "please",
    "how",
    "where",
    "when",
    "if",
    "and",
    "but",
    "so",
    "or",
    "to",
    "me",
    "ok",
    "well",
    "want",
    "need",
    "like",
    "know",
    "there",
    "may",
    "must",
    "might",
}
_LITTLE = {
    "the",
    "a",
    "an",
    "to",
    "do",
    "i",
    "is",
    "of",
    "my",
    "please",
    "can",
    "you",
    "me",
    "it",
    "that",
    "in",
    "for",
    "on",
    "and",
    "are",
    "am",
    "be",
}

_GROUPS = [line.split("|") for line in SAME.strip().splitlines()]
_OTHERS = {
    phrase: [other for other in group if other != phrase] for group in _GROUPS for phrase in group
}
_PHRASE = re.compile(
    r"(?<![\w'<])("
    + "|".join(re.escape(p) for p in sorted(_OTHERS, key=len, reverse=True))
    + r")(?![\w'>])",
    re.IGNORECASE,
)


def reworded(rng: Random, text: str) -> str:
    """Return a paraphrase. Parts protected by `grammar.keep` stay unchanged."""
    roll = rng.random()
    if roll < 0.5:
        return text
    parts = KEPT.split(text)
    swap = rng.choice((0.0, 0.3, 0.6))
    insert = rng.choice((0.0, 0.0, 0.04, 0.12))
    drop = rng.choice((0.0, 0.0, 0.0, 0.12))
    for index in range(0, len(parts), 2):
        part = parts[index]
        if swap:
            part = _PHRASE.sub(lambda m: _other(rng, m[0]) if rng.random() < swap else m[0], part)
        if insert or drop:
            part = _jostled(rng, part, insert, drop)
        parts[index] = part
    return "".join(parts)


def _other(rng: Random, phrase: str) -> str:
    other = rng.choice(_OTHERS[phrase.lower()])
    return other[0].upper() + other[1:] if phrase[0].isupper() else other


def _jostled(rng: Random, text: str, insert: float, drop: float) -> str:
    words: list[str] = []
    for word in text.split(" "):
        little = word.lower()
        if little in _LITTLE and rng.random() < drop:
            continue
        words.append(word)
        if little in _AFTER and rng.random() < insert:
            extra = rng.choice(INSERTIONS)
            words.append(f", {extra}," if rng.random() < 0.15 else extra)
    return " ".join(words).replace(" ,", ",") or text
