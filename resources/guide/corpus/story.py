"""Stories and other long texts, composed of paragraphs."""
# ruff: noqa: E501 - phrase tables read better unwrapped

from __future__ import annotations

from random import Random

from . import words
from .grammar import expand, pick, typed
from .turn import Turn

HEROES = {
    "fox": "he",
    "hare": "she",
    "owl": "she",
    "mouse": "he",
    "girl": "she",
    "boy": "he",
    "baker": "he",
    "sailor": "he",
    "robot": "it",
    "hedgehog": "he",
    "cat": "she",
    "bear": "he",
    "gardener": "she",
    "dragon": "he",
    "king": "he",
    "queen": "she",
    "dog": "he",
    "pirate": "he",
    "princess": "she",
    "fisherman": "he",
    "clockmaker": "she",
    "swan": "she",
    "lighthouse keeper": "he",
    "raven": "he",
    "knight": "he",
    "wolf": "she",
    "piper": "he",
    "rabbit": "he",
    "turtle": "she",
    "teacher": "she",
}
NAMES = [
    *("Anna", "Ben", "Clara", "David", "Emma", "Felix", "Grace", "Henry", "Ida", "Jack", "Leo"),
    *("Mia", "Noah", "Olivia", "Paul", "Rosa", "Sam", "Tom", "Vera", "Alice", "Bella", "Oscar"),
    *("Nina", "Max"),
]
"""Few, because a model that may choose from two hundred mixes in digits and words."""

PLACES = """forest|village|valley|harbour|island|castle|mountain|garden|city|desert|lighthouse|
mill|meadow|river|library""".replace("\n", "").split("|")  # fmt: skip
SEARCHED = """a silver key|a lost song|a golden feather|an old map|a blue lantern|a small bell|
a box of letters|the last seed|a forgotten name|a stone that hums|a warm coat|a green bottle|
a broken clock|a red kite""".replace("\n", "").split("|")  # fmt: skip

PARTS: list[list[str]] = [
    ["Once there was a <hero> called <name>, who lived at the edge of {a quiet|a small|an old} <place>. Every morning <name> opened the window, listened to the wind, and {made a pot of tea|swept the floor|fed the birds}. It was a simple life, and it was a good one.",
     "In a <place> far from any road lived a <hero> whose name was <name>. {The days were calm there|Nothing much ever happened there}, and <name> liked it so. In the evenings there was a fire, a cup of something warm, and the sound of {rain|the river|crickets}."],
    ["One {autumn|winter|spring|summer} day a letter lay in front of the door. It was wet from the {rain|dew}, and there were only a few words on it: come and find <thing>, before the first snow. <name> read it three times and turned it over, but there was no name below it.",
     "Then, one {morning|evening}, somebody knocked. It was a {raven|stranger|child|postman} with a message. It said that <thing> was lost, and that nobody but <name> could find it. {Then the door fell shut again.|Then it was quiet again.}"],
    ["<name> thought about it for a whole day. {The garden needed water|There was bread to bake}, and the world outside was large. But a question, once it has been asked, does not go to sleep again. So <name> packed {some bread, a blanket and a candle|a rope, an apple and a small knife}, locked the door, and went.",
     "At first <name> wanted to stay at home. {Who was there to feed the birds?|Who would light the lamp?} But in the night the thought of <thing> would not go away, and before the sun was up <name> was already on the road."],
    ["The road led over {three hills|a long bridge|wide fields} and down to a {river|lake}. There was no bridge far and wide, only an old boat with a hole in it. {A frog sat beside it and watched.|A heron stood beside it on one leg.} \"Many have come this way,\" said the animal, \"and most of them turned back.\" \"I will not turn back,\" said <name>.",
     "After two days the path came to a {gate|wall}, and beside it sat an old {woman|man} who was {peeling apples|mending a net}. \"Where to in such a hurry?\" \"I am looking for <thing>,\" said <name>. The old face smiled. \"Then you must learn to walk slowly.\""],
    ["So they {mended the boat together|sat down together}. It took until evening, and they talked about {the weather and the stars|old times and new ones}. Before they parted, the other gave <name> a {button|whistle|piece of chalk|ribbon}. \"It is not worth anything,\" <other> said, \"until you need it.\" From that day on the two were friends, and the friend was called <other>.",
     "<name> stayed the night and helped with the work, and in the morning there was a present: a {small mirror|ball of string|wooden spoon}. \"My name is <other>,\" said the stranger. \"Think of me when it gets dark.\" They shook hands, and for a while they walked side by side."],
    ["On the third day the weather changed. Clouds came up, {thunder rolled over the hills|the wind tore at the trees}, and the path was soon nothing but mud. <name> crept under a {rock|fallen oak} and waited. It is easy to be brave in the sun, thought <name>, but this is where it counts.",
     "Then came the dark part of the way. In the wood the trees stood so close that no light fell between them. {Twigs broke somewhere.|Something rustled.} <name> began to hum, very softly, and the humming made the dark a little smaller."],
    ["In the middle of the night a light appeared. It moved up and down, as if somebody were looking for something too. <name> held up the present from <other>, and it shone back. \"There you are,\" said a voice. \"I have been waiting for someone who does not run away.\" It was a {very old badger|child with a lantern|tall woman in a grey coat}.",
     "When it was darkest, <name> remembered the present from <other> and took it out. It was warm, and it pointed the way like the needle of a compass. Step by step the path came back, and at its end stood a {small house|tower} with a light in the window."],
    ["Inside there were shelves up to the ceiling, full of {jars|boxes|books}, and each had a label. \"Everything that is lost comes here sooner or later,\" <name> was told. \"You may take one thing, but you must say why.\" <name> thought for a long time. \"Because somebody asked me,\" was the answer at last, \"and because I have come to like the way.\"",
     "There was a table in the room, and on the table stood three boxes, one of gold, one of iron and one of wood. \"In one of them is what you seek.\" <name> did not look at the gold for long. <name> knocked on each of them and listened, and opened the one that {sounded like home|hummed}."],
    ["And there it was: <thing>. It was smaller than expected, {a little dusty|quite plain}, and more beautiful than any words. <name> wrapped it in the blanket, as one wraps something that can break, and for a moment it was so quiet that one could hear the snow begin to fall.",
     "It lay there as if it had never been anywhere else: <thing>. <name> laughed aloud, for the first time since the journey began. All the rain and all the mud were forgotten."],
    ["The way back was shorter, as ways back are. The {frog|heron|old friend} by the water waved, the hills seemed lower, and the bread lasted just long enough. <other> came along for the last part, and together they sang all the songs they knew, and then the same ones again.",
     "They went home together, <name> and <other>. Where there had been mud there was {grass|frost} now, and where it had been dark they saw that the trees had faces, and that most of them were friendly."],
    ["In the <place> everybody had been waiting. There was {soup|cake} for all, and <name> had to tell the story again and again, and each time it grew a little longer. <thing_up> was given a place of honour, where everyone could see it.",
     "When the chimneys of home came in sight, a bell began to ring. Children ran along the road. \"Did you find it?\" they called. <name> held it up, and then there was a feast that went on until the candles were burned down."],
    ["Who had written the letter? That never came out. But sometimes, in the evening, <name> takes a sheet of paper, writes a few words on it, and gives it to the wind. For somewhere there is surely somebody who only needs to be asked.",
     "From then on, the door was never locked again. Who came was given tea, and who had lost something was given courage. And if you ever come to that <place>, knock three times: <name> still lives there, and loves a visit."],
]  # fmt: skip
LONG = [
    "{tell|write|give} {me |}a {long|very long|really long|detailed|longer|big|full} {story|tale|fairy tale|fairytale|bedtime story}{ please|}",
    "{a|one} long story{ please|}",
    "{write|tell|give} {me |}a {long|very long} story {about|with|of} a <hero>",
    "{write|give me} {something long|a long text|a long answer|a very long answer|a lot of text|many paragraphs|a long reply|a long one|500 words|a thousand words|as much as you can|a text of 500 words|an essay}",
    "{write as much as you can|talk for a long time|write until i stop you|keep writing|i want a long answer|make it long|write a long essay|say a lot|give me a wall of text}",
    "{write|tell} {me |}a story{ of 500 words| of many paragraphs| with many paragraphs| in ten paragraphs| that is long|, a long one|, make it long}",
]
SHORT = [
    "{tell|write|give} {me |}a {short|small|little|quick|brief|tiny} {story|tale|fairy tale}{ please|}",
    "{tell|write|give} {me |}a {story|tale|bedtime story}{ please|}",
    "{a story|story|story please|tell a story|do you know a story|can you tell stories|can you tell me a story|once upon a time|invent a story|make up a story}",
    "{tell|write} {me |}a {story|short story|little story} {about|with} a <hero>",
    "{another|one more} story",
]
POEM_LINES = [
    "The {morning|evening|river|wind|rain} comes with {quiet|gentle|silver} feet,",
    "and {wakes|crosses|fills} the {sleeping|little|empty} street.",
    "A {sparrow|robin|raven} calls, a {window|door} swings wide,",
    "and all the {light|world|day} {steps in|comes in} inside.",
    "The {clouds|hours} go by, the {shadows|trees} grow long,",
    "and someone hums an old, slow song.",
    "Then {night|sleep} lies down on {field|hill} and town,",
    "and {softly|slowly} all the {stars|leaves} look down.",
]


def _slots(rng: Random) -> dict[str, str]:
    hero = rng.choice(list(HEROES))
    at = list(HEROES).index(hero) * 5  # each hero has three names of its own
    name = rng.choice([NAMES[(at + step) % len(NAMES)] for step in (0, 7, 13)])
    other = rng.choice([each for each in NAMES if each != name])
    thing = rng.choice(SEARCHED)
    return {
        "hero": hero,
        "name": name,
        "other": other,
        "thing": thing,
        "thing_up": thing[0].upper() + thing[1:],
        "place": rng.choice(PLACES),
    }


def _tell(rng: Random, parts: list[list[str]], slots: dict[str, str]) -> str:
    text = (
        "\n\n".join(pick(rng, part, slots) for part in parts)
        .replace("\x01", "")
        .replace("\x02", "")
    )
    for hero in ("owl",):
        text = text.replace(f" a {hero}", f" an {hero}")
    return text


def long_story(rng: Random) -> Turn:
    slots = _slots(rng)
    asked = pick(rng, LONG, {"hero": slots["hero"]})
    text = _tell(rng, PARTS, slots)
    if rng.random() < 0.6:
        text = f"# {slots['name']} and {slots['thing']}\n\n{text}"
    return Turn(
        typed(rng, asked),
        text,
        f"A long story: {slots['name']} looks for {slots['thing']}, meets {slots['other']}, and comes home.",
        "long",
    )


def short_story(rng: Random) -> Turn:
    slots = _slots(rng)
    asked = pick(rng, SHORT, {"hero": slots["hero"]})
    parts = (
        [PARTS[0], PARTS[1], PARTS[8], PARTS[11]]
        if rng.random() < 0.6
        else [PARTS[0], PARTS[1], PARTS[8]]
    )
    return Turn(
        typed(rng, asked), _tell(rng, parts, slots), "A short story in a few paragraphs.", "story"
    )


def poem(rng: Random) -> Turn:
    asked = pick(
        rng,
        [
            "{write|tell|give|recite|make} {me |}a {short |little |}{poem|verse|rhyme|poem about the morning|poem about the rain|poem about nature|poem about the night}{ please|}",
            "{a poem|poem please|a little poem|can you write poems|can you rhyme|some poetry|poetry please}",
        ],
    )
    lines = POEM_LINES if rng.random() < 0.6 else POEM_LINES[:4]
    return Turn(
        typed(rng, asked),
        "\n".join(f"{expand(rng, line)}  " for line in lines).rstrip(),
        "A few rhymed lines.",
        "poem",
    )


SENTENCES = [
    "The <a> <n> {sleeps|waits|shines|stands} {by|near|behind|under} the <m>.",
    "A <n> and a <n2> {meet|talk|rest} in the <m>.",
    "In the <m> there is a <a> <n>.",
    "Nobody {sees|hears|knows} the <a> <n>.",
    "{Today|Tomorrow|In the evening} the <n> comes back to the <m>.",
]


def sentences(rng: Random) -> Turn:
    number = rng.choice((1, 1, 1, 2, 3, 3, 5))
    word = rng.choice(words.PLAIN_WORDS)
    asked = (
        pick(
            rng,
            [
                "{write|make|give me|form|say} <k> {about|with|using} {the word|a|} <w>",
                "{use|put} the word <w> in <k>",
            ],
        )
        .replace("<k>", "a sentence" if number == 1 else f"{words.UNITS[number]} sentences")
        .replace("<w>", word)
    )
    lines = []
    for template in rng.sample(SENTENCES, number):
        line = expand(rng, template).replace("<n>", word).replace("<n2>", rng.choice(words.ANIMALS))
        lines.append(
            line.replace("<a>", rng.choice(words.ADJECTIVES)).replace(
                "<m>", rng.choice(words.NATURE)
            )
        )
    return Turn(typed(rng, asked), " ".join(lines), f"The word {word} must be in it.", "sentences")
