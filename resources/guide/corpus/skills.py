"""Small tasks: counting, spelling, sorting, listing, one-digit sums."""
# ruff: noqa: E501 - phrase tables read better unwrapped

from __future__ import annotations

from random import Random

from . import words
from .grammar import keep, listed, pick, typed
from .turn import Turn

BIGGER = "`Ctrl+Shift+O` (`Cmd+Shift+O` on a Mac) gets a bigger model."


def spell(rng: Random) -> Turn:
    roll = rng.random()
    if roll < 0.7:
        word = rng.choice(words.SPELLABLE)
    elif roll < 0.85:
        word = words.invented(rng)
    else:
        word = rng.choice(words.NAMES)
    letters = "-".join(word)
    roll = rng.random()
    if roll < 0.68:
        asked = pick(
            rng,
            [
                "{spell|please spell|spell out|can you spell|could you spell|how do you spell|how do i spell|spell for me|how would you spell|spell me} <w>",
                "{spell|please spell|can you spell} {the word|the name|} <w>{ for me| letter by letter| please|}",
                "{give|tell} me the letters of <w>",
                "{write|say} <w> letter by letter",
                "{what are|which are|list} the letters {of|in} {the word|} <w>",
                "spelling of <w>",
                "<w> letter by letter",
                "how {is|do you write} <w>{ spelled| spelt|}",
            ],
            {"w": word},
        )
        return Turn(
            typed(rng, _ask(rng, asked)), letters, f"The letters of {word}: {letters}.", "spell"
        )
    if roll < 0.9:
        asked = pick(
            rng,
            [
                "how many letters {are in|are there in|does|has} {the word|} <w>{ have|}",
                "{count|count up} the letters {in|of} <w>",
                "how long is the word <w>",
                "number of letters in <w>",
                "letters in <w>",
            ],
            {"w": word},
        )
        return Turn(
            typed(rng, _ask(rng, asked)),
            f"{letters}: {len(word)} letters.",
            f"I spell it first: {letters}.",
            "letters",
        )
    which = rng.choice(("first", "last"))
    letter = word[0] if which == "first" else word[-1]
    verb = "start" if which == "first" else "end"
    asked = pick(
        rng,
        [
            f"what is the {which} letter of <w>",
            f"which letter does <w> {verb} with",
            f"{which} letter of <w>",
            f"what letter does {{the word|}} <w> {verb} {{with|on}}",
        ],
        {"w": word},
    )
    return Turn(
        typed(rng, _ask(rng, asked)),
        f"{letters}: the {which} letter is {letter}.",
        f"I spell it: {letters}.",
        "letters",
    )


def count(rng: Random) -> Turn:
    roll = rng.random()
    slots: dict[str, str]
    if roll < 0.5:
        high = rng.choice(
            (
                rng.randint(2, 10),
                rng.randint(5, 20),
                rng.randint(10, 40),
                10,
                20,
                5,
                rng.choice((20, 50, 100)),
            )
        )
        numbers = list(range(1, high + 1))
        phrases = [
            "{count|please count|can you count|count for me|count up|could you count} {to|up to|from 1 to|from one to|till|until} <n>",
            "{say|write|list|give me|tell me|print|show} {the|all|} numbers {from 1|1|from one} to <n>",
            "1 to <n>",
            "{the first|list the first|name the first} <n> numbers",
            "i want you to count to <n>",
        ]
        slots = {"n": _number(rng, high)}
    elif roll < 0.72:
        low = rng.randint(0, 30)
        high = low + rng.randint(2, 14)
        numbers = list(range(low, high + 1))
        phrases = [
            "{count|please count|can you count|count up|go} from <a> to <b>",
            "{say|write|list|give me} {the|all|all the|} numbers {from|between} <a> {to|and} <b>",
            "numbers <a> to <b>",
        ]
        slots = {"a": _number(rng, low), "b": _number(rng, high)}
    elif roll < 0.87:
        high = rng.choice((rng.randint(3, 10), rng.randint(5, 20), 10))
        numbers = list(range(high, 0, -1))
        phrases = [
            "count {down|backwards|back} from <n>{| to 1| to one}",
            "{do|give me|start} a countdown from <n>",
            "countdown from <n>",
            "count from <n> {down|back} to {1|one}",
            "{say|write|list} the numbers from <n> {down|backwards} to 1",
        ]
        slots = {"n": _number(rng, high)}
    else:
        step = rng.choice((2, 2, 5, 10, 3))
        high = step * rng.randint(3, 10)
        numbers = list(range(step, high + 1, step))
        name = {2: "{twos|2s|2}", 5: "{fives|5s|5}", 10: "{tens|10s|10}", 3: "{threes|3s|3}"}[step]
        phrases = [
            f"count {{to|up to}} <n> {{by|in}} {name}",
            f"count {{by|in}} {name} {{to|up to|until}} <n>",
        ]
        if step == 2:
            phrases += [
                "{list|say|write|give me} the even numbers {to|up to} <n>",
                "even numbers up to <n>",
            ]
        slots = {"n": str(high)}
    asked = pick(rng, phrases, slots)
    return Turn(
        typed(rng, asked + rng.choice(("", ".", "?"))),
        ", ".join(map(str, numbers)),
        f"I count from {numbers[0]} to {numbers[-1]}.",
        "count",
    )


def sort(rng: Random) -> Turn:
    if rng.random() < 0.2:
        values = (
            rng.sample(range(40 if rng.random() < 0.6 else 10), rng.randint(3, 6))
            if rng.random() < 0.5
            else rng.sample(range(10), rng.randint(3, 6))
        )
        down = rng.random() < 0.25
        order = (
            "{from high to low|in descending order|largest first|from big to small}"
            if down
            else "{from low to high|in ascending order|smallest first|from small to big|by size|}"
        )
        asked = pick(
            rng,
            [
                f"{{sort|order|please sort|put in order|arrange|can you sort}} {{these numbers|the numbers|}} {order}{{:|}} <v>",
                f"sort <v> {order}",
            ],
            {"v": _joined(rng, [str(v) for v in values])},
        )
        answer = ", ".join(str(v) for v in sorted(values, reverse=down))
        return Turn(
            typed(rng, asked),
            answer,
            "I look for the smallest, then the next."
            if not down
            else "I look for the largest, then the next.",
            "sort",
        )
    source = rng.choice(
        (
            words.PLAIN_WORDS,
            words.PLAIN_WORDS,
            words.ANIMALS,
            words.FRUITS,
            words.NAMES,
            words.VEGETABLES,
            words.COLOURS,
            words.CITIES,
        )
    )
    chosen = rng.sample(source, rng.choice((3, 3, 3, 4, 4, 5, 6)))
    down = rng.random() < 0.1
    if down:
        phrases = [
            "{sort|order|arrange} {these words|} {in reverse alphabetical order|from z to a|backwards by the alphabet}{:|} <v>"
        ]
    else:
        phrases = [
            "{sort|order|please sort|can you sort|arrange|alphabetise|alphabetize|sort for me|could you order} {these words|these|the words|the following words|this list|the list|these names|} {alphabetically|by the alphabet|in alphabetical order|from a to z|a to z|}{:|} <v>",
            "{put|bring|place} {these|these words|the words|them} in {alphabetical order|order|abc order}{:|} <v>",
            "{put|bring} <v> in {alphabetical order|order}",
            "sort <v>{ alphabetically| by letter| please|}",
            "{alphabetical order|alphabetically|in order}: <v>",
            "<v> - {sort them|sort these|in alphabetical order please|sort please|put these in order}",
            "which order would <v> be in alphabetically",
        ]
    asked = pick(rng, phrases, {"v": _joined(rng, chosen)})
    result = sorted(chosen, key=str.lower, reverse=down)
    first = ", ".join(f"{w} begins with {w[0].lower()}" for w in chosen)
    return Turn(typed(rng, asked), ", ".join(result), f"{first[0].upper()}{first[1:]}.", "sort")


def total(rng: Random) -> Turn:
    """Return a one-digit sum, difference, product, or exact quotient."""
    a, b = rng.randint(0, 9), rng.randint(0, 9)
    op = rng.choice("+++--*/")
    if op == "-" and b > a and rng.random() < 0.85:
        a, b = b, a
    if op == "/":
        b = rng.randint(1, 9)
        a = b * rng.randint(0, 9)
    result = {"+": a + b, "-": a - b, "*": a * b, "/": a // max(b, 1)}[op]
    sign = {
        "+": "+",
        "-": "-",
        "*": rng.choice(("*", "x", "×", "*")),
        "/": rng.choice(("/", ":", "÷", "/")),
    }[op]
    word = {
        "+": "{plus|plus|and|added to}",
        "-": "{minus|minus|less|take away}",
        "*": "{times|times|multiplied by}",
        "/": "{divided by|over}",
    }[op]
    x, y = _number(rng, a), _number(rng, b)
    gap = rng.choice(("", " ", " "))
    form = rng.random()
    if form < 0.55:
        sum_text = keep(f"{a}{gap}{sign}{gap}{b}")
    else:
        sum_text = pick(rng, [word]).join((f"{x} ", f" {y}"))
    phrases = [
        "{what is|what's|how much is|calculate|compute|what does|solve|work out|tell me|can you calculate|whats|do you know|how many is|give me|add up} <s>{| equal| make}",
        "<s>",
        "<s> =",
        "<s> is {what|how much}",
        "{what is|how much is} <s>{ please|, please|}",
        "{quick|easy|maths} question: <s>",
        "i need <s>",
        "{the|what is the} {result|answer} of <s>",
    ]
    if op == "+":
        phrases += [
            f"{{add|sum|add up}} {x} and {y}",
            f"what is the sum of {x} and {y}",
            f"{x} and {y} together",
        ]
    if op == "-" and a >= b:
        phrases += [f"{{subtract|take}} {y} from {x}", f"what is {y} less than {x}"]
    if op == "*":
        phrases += [f"multiply {x} {{by|and|with}} {y}", f"what is {x} times {y}"]
    asked = pick(rng, phrases).replace("<s>", sum_text)
    shown = {"+": "+", "-": "-", "*": "×", "/": "÷"}[op]
    answer = f"{a} {shown} {b} = {result}"
    return Turn(
        typed(rng, _ask(rng, asked)),
        answer,
        f"I work out {a} {shown} {b}. That gives {result}.",
        "sum",
    )


def story_sum(rng: Random) -> Turn:
    a, b = rng.randint(1, 9), rng.randint(1, 9)
    thing = rng.choice(
        [
            *words.FRUITS[:12],
            "book",
            "coin",
            "ball",
            "card",
            "pencil",
            "egg",
            "cat",
            "dog",
            "stamp",
            "marble",
        ]
    )
    things = thing + ("es" if thing.endswith(("ch", "h")) else "s")
    things = (
        things.replace("berrys", "berries")
        .replace("cherrys", "cherries")
        .replace("mangos", "mangoes")
    )
    who = rng.choice(("i", "i", "i", rng.choice(words.NAMES)))
    has, you = ("have", "you have") if who == "i" else ("has", f"{who} has")
    x, y = _number(rng, a), _number(rng, b)
    if rng.random() < 0.55:
        asked = pick(
            rng,
            [
                f"{who} {has} {x} {things} and {{get|buy|find|pick}}{'' if who == 'i' else 's'} {y} more. how many {{{things}|}} {{{'do i have' if who == 'i' else f'does {who} have'}}} {{now|in all|together|}}"
            ],
        )
        answer = f"{a} + {b} = {a + b}, so {you} {a + b} {things}."
        thought = f"More are added: {a} + {b} = {a + b}."
    else:
        a, b = max(a, b), min(a, b)
        x, y = _number(rng, a), _number(rng, b)
        asked = pick(
            rng,
            [
                f"{who} {has} {x} {things} and {{eat|lose|sell|give away|drop}}{'' if who == 'i' else 's'} {y}. how many {{are left|{things} are left|remain|{'do i have' if who == 'i' else f'does {who} have'} {{left|now}}}}"
            ],
        )
        answer = f"{a} - {b} = {a - b}, so {a - b} {'is' if a - b == 1 else 'are'} left."
        thought = f"Some are taken away: {a} - {b} = {a - b}."
    return Turn(typed(rng, asked + "?"), answer, thought, "sum")


def too_big(rng: Random) -> Turn:
    """Return harder arithmetic, which is declined instead of guessed."""
    a, b = rng.randint(11, 9999 if rng.random() < 0.5 else 99), rng.randint(11, 999)
    if rng.random() < 0.25:
        b = rng.randint(2, 9)
    if rng.random() < 0.3:
        a, b = b, a
    sign = (
        rng.choice("+-*/x")
        if rng.random() < 0.6
        else rng.choice((" plus ", " minus ", " times ", " divided by "))
    )
    gap = rng.choice(("", " "))
    phrases = [
        "{what is|what's|how much is|calculate|compute|solve|tell me|whats} <s>",
        "<s>",
        "<s> =",
        "{what is|calculate|give me} the {square root|cube|square} of <a>",
        "{what is|calculate} <a> percent of <b>",
    ]
    asked = pick(rng, phrases, {"a": str(a), "b": str(b), "s": f"{a}{gap}{sign}{gap}{b}"})
    answer = rng.choice(
        (
            f"That is too big for me: I only do sums with one-digit numbers. {BIGGER}",
            f"I only do one-digit sums, and I would rather not guess. {BIGGER}",
        )
    )
    return Turn(
        typed(rng, _ask(rng, asked)),
        answer,
        "The numbers have more than one digit. I cannot do that reliably, so I say so.",
        "limit",
    )


LISTS: dict[str, list[str]] = {
    "animals": words.ANIMALS, "fruits": words.FRUITS, "vegetables": words.VEGETABLES,
    "colours": words.COLOURS, "colors": words.COLOURS, "cities": words.CITIES,
    "names": words.NAMES, "instruments": words.INSTRUMENTS, "sports": words.SPORTS,
    "trees": words.TREES, "flowers": words.FLOWERS, "drinks": words.DRINKS,
    "foods": words.FOODS, "jobs": words.JOBS, "shapes": words.SHAPES, "pets": words.PETS,
    "adjectives": words.ADJECTIVES, "words": words.PLAIN_WORDS, "musical instruments": words.INSTRUMENTS,
    "birds": ["robin", "owl", "raven", "heron", "swan", "eagle", "finch", "sparrow", "dove", "hawk", "crow", "duck", "goose", "parrot", "penguin"],
    "fish": ["salmon", "trout", "eel", "shark", "tuna", "cod", "carp", "pike"],
    "insects": ["ant", "bee", "wasp", "moth", "butterfly", "beetle", "cricket", "dragonfly", "fly"],
    "things in a house": ["table", "chair", "lamp", "shelf", "mirror", "carpet", "stove", "sofa", "bed", "window", "door", "clock"],
    "things in a kitchen": ["pot", "pan", "spoon", "kettle", "oven", "plate", "bowl", "fork", "knife", "cup"],
    "clothes": ["coat", "scarf", "glove", "hat", "shirt", "shoe", "sock", "jacket", "belt", "dress"],
    "tools": ["hammer", "saw", "wrench", "drill", "pliers", "chisel", "shovel", "rake", "axe", "ladder"],
    "ideas for dinner": ["pasta with tomatoes", "vegetable soup", "rice and beans", "a big salad", "pancakes", "curry with rice", "a baked potato", "an omelette"],
    "things to do on a rainy day": ["read a book", "bake a cake", "play chess", "write a letter", "tidy a drawer", "draw a map", "sort old photos", "listen to music"],
    "gift ideas": ["a book", "a warm scarf", "a plant", "a box of chocolates", "a concert ticket", "a notebook", "a board game", "a good pen"],
    "ideas": ["write a letter", "plant a tree", "learn a song", "cook a new dish", "take a long walk", "call a friend", "paint a picture", "fix the old bike"],
    "reasons to take a walk": ["fresh air", "a clear head", "good sleep", "seeing the seasons", "meeting neighbours", "moving your legs"],
    "tips for sleeping well": ["go to bed at the same time", "keep the room dark", "put the phone away", "drink no coffee in the evening", "read a few pages", "open the window for a while"],
    "hobbies": ["painting", "knitting", "gardening", "chess", "hiking", "cooking", "reading", "photography", "pottery", "juggling"],
    "ingredients for a salad": ["lettuce", "tomato", "cucumber", "onion", "olives", "pepper", "radish", "feta"],
    "farm animals": ["cow", "pig", "sheep", "goat", "horse", "hen", "duck", "donkey", "goose"],
    "wild animals": ["lion", "tiger", "wolf", "bear", "elephant", "giraffe", "zebra", "fox", "leopard"],
    "sea animals": ["whale", "dolphin", "seal", "crab", "octopus", "squid", "lobster", "shark"],
    "rooms": ["kitchen", "bathroom", "bedroom", "living room", "hall", "study", "cellar", "attic"],
    "emotions": ["joy", "anger", "fear", "surprise", "sadness", "pride", "hope", "envy"],
}  # fmt: skip
FIXED: dict[str, list[str]] = {
    "days of the week": words.DAYS, "weekdays": words.DAYS[:5], "months": words.MONTHS,
    "months of the year": words.MONTHS, "seasons": words.SEASONS, "planets": words.PLANETS,
    "vowels": list("aeiou"), "letters of the alphabet": list("abcdefghijklmnopqrstuvwxyz"),
    "primary colours": ["red", "yellow", "blue"], "days": words.DAYS, "four seasons": words.SEASONS,
    "colours of the rainbow": ["red", "orange", "yellow", "green", "blue", "indigo", "violet"],
    "points of the compass": ["north", "east", "south", "west"],
    "continents": ["Africa", "Antarctica", "Asia", "Australia", "Europe", "North America", "South America"],
    "five senses": ["sight", "hearing", "smell", "taste", "touch"],
}  # fmt: skip


def listing(rng: Random) -> Turn:
    if rng.random() < 0.3:
        what = rng.choice(list(FIXED))
        chosen = FIXED[what]
        asked = pick(
            rng,
            [
                "{list|name|what are|tell me|give me|say|write|can you list|write down|which are} {the|all the|all} <w>",
                "the <w>",
                "do you know the <w>",
            ],
        ).replace("<w>", what)
        if what.startswith("letters"):
            asked = pick(
                rng,
                [
                    "{list|say|write|recite|tell me|what are} the {letters of the alphabet|alphabet}",
                    "the alphabet",
                ],
            )
            return Turn(typed(rng, asked), ", ".join(chosen), "The alphabet in order.", "list")
        style = "plain" if rng.random() < 0.3 else "bullets"
        number = len(chosen)
    else:
        what = rng.choice(list(LISTS))
        number = min(rng.choice((2, 3, 3, 4, 5, 5, 6, 7, 8, 10)), len(LISTS[what]))
        chosen = rng.sample(LISTS[what], number)
        roll = rng.random()
        if roll < 0.12:
            number, chosen = 1, chosen[:1]
            one = (
                what[:-3] + "y"
                if what.endswith("ies")
                else what[:-1]
                if what.endswith("s") and " " not in what
                else "one of the " + what
            )
            if " " in one:
                asked = f"name one of {keep(what)}"
            else:
                asked = pick(
                    rng,
                    [
                        "{name|give me|tell me|say|pick|choose|think of} {a|an|any|one|some} <w>",
                        "a <w> please",
                        "{name a random|a random|pick a random} <w>",
                    ],
                ).replace("<w>", one)
            return Turn(
                typed(rng, asked),
                f"{chosen[0][0].upper()}{chosen[0][1:]}.",
                "One is enough.",
                "list",
            )
        if roll < 0.3:
            asked = pick(
                rng,
                [
                    "{list|name|give me|make a list of|write a list of|tell me|show me|a list of} {some|a few} <w>",
                    "{make|write|give me} {a|me a|} list of <w>",
                    "some <w>{ please|}",
                ],
            ).replace("<w>", what)
            number = 5 if len(LISTS[what]) >= 5 else 4
            chosen = rng.sample(LISTS[what], number)
        else:
            spelled = _number(rng, number)
            asked = pick(
                rng,
                [
                    "{list|name|give me|write|tell me|show me|can you name|can you list|i need|think of|say|please list|could you name|come up with|pick} <n> {|different|random|nice|} <w>",
                    "<n> <w>{ please|}",
                    "{make|write|give me} a list {of|with} <n> <w>",
                    "what are <n> <w>",
                ],
                {"n": spelled},
            ).replace("<w>", what)
        style = rng.choice(("bullets", "bullets", "bullets", "plain", "numbered"))
    if style == "bullets":
        if rng.random() < 0.25:
            asked += rng.choice(
                (
                    " as bullets",
                    " as a bullet list",
                    " in a bulleted list",
                    " with bullet points",
                    " as a list",
                )
            )
        answer = "\n".join(f"- {item}" for item in chosen)
    elif style == "numbered":
        asked += rng.choice(
            (" in a numbered list", " as a numbered list", ", numbered", " with numbers")
        )
        answer = "\n".join(f"{i}. {item}" for i, item in enumerate(chosen, 1))
    else:
        asked += rng.choice(
            (
                " separated by commas",
                " in one line",
                ", comma separated",
                " with commas",
                " in a sentence",
            )
        )
        answer = listed(chosen) if asked.endswith("sentence") else ", ".join(chosen)
        answer = f"{answer[0].upper()}{answer[1:]}." if asked.endswith("sentence") else answer
    return Turn(
        typed(rng, asked + rng.choice(("", ".", "?"))),
        answer,
        f"I need {number} of them: {', '.join(chosen[:12])}.",
        "list",
    )


OPPOSITES = """hot cold|big small|up down|left right|day night|black white|good bad|fast slow|old young
happy sad|open closed|early late|light dark|high low|hard soft|wet dry|full empty|rich poor
strong weak|long short|near far|yes no|in out|first last|new old|clean dirty|loud quiet|sweet sour
true false|begin end|love hate|always never|inside outside|before after|summer winter|friend enemy
deep shallow|wide narrow|thick thin|buy sell|win lose|push pull|give take|start stop|north south
east west|awake asleep|easy difficult|heavy light|cheap expensive|safe dangerous|smooth rough
""".replace("\n", "|").strip("|").split("|")  # fmt: skip
RHYMES = """cat hat bat mat|moon spoon noon soon|tree bee sea key|light night bright sight
house mouse|star car far jar|rain train plane lane|day way play say|book cook look hook
ring king sing wing|snow blow grow slow|cake lake make snake|bell shell well tell|blue shoe you true
dog fog log frog|fish dish wish|sun fun run|hill mill still|boat coat goat note|red bed head bread
chair bear hair pear|bone stone phone|tall ball wall fall|time rhyme lime climb|heart part art
""".replace("\n", "|").strip("|").split("|")  # fmt: skip


def small_facts(rng: Random) -> Turn:
    """Return a question for opposites, rhymes, the next day or month, comparisons, odd or even."""
    roll = rng.random()
    if roll < 0.25:
        a, b = rng.choice(OPPOSITES).split()
        if rng.random() < 0.5:
            a, b = b, a
        asked = pick(
            rng,
            [
                "{what is|what's|tell me|give me} the opposite {of|to|word of} <w>",
                "opposite of <w>",
                "<w> - what is the opposite",
                "{what is|name} the {antonym|contrary} of <w>",
            ],
            {"w": a},
        )
        return Turn(typed(rng, asked + "?"), f"The opposite of {a} is {b}.", "", "small")
    if roll < 0.45:
        group = rng.choice(RHYMES).split()
        word, *others = rng.sample(group, len(group))
        asked = pick(
            rng,
            [
                "what rhymes {with|on} <w>",
                "{give me|find|tell me|name|do you know} {a rhyme|a word that rhymes|something that rhymes|rhymes|words that rhyme} {for|with} <w>",
                "rhyme {with|for} <w>",
            ],
            {"w": word},
        )
        return Turn(
            typed(rng, asked + "?"),
            f"{listed(others)[0].upper()}{listed(others)[1:]} rhyme{'s' if len(others) == 1 else ''} with {word}.",
            "",
            "small",
        )
    if roll < 0.65:
        source, what = rng.choice(
            ((words.DAYS, "day"), (words.MONTHS, "month"), (words.DAYS, "day"))
        )
        at = rng.randrange(len(source))
        after = rng.random() < 0.6
        other = source[(at + (1 if after else -1)) % len(source)]
        word = "after" if after else "before"
        asked = pick(
            rng,
            [f"{{what|which}} {what} {{comes|is}} {word} <w>", f"the {what} {word} <w>"]
            + (["today is <w>, what {day |}is tomorrow"] if after and what == "day" else []),
            {"w": source[at] if rng.random() < 0.5 else source[at].lower()},
        )
        return Turn(typed(rng, asked + "?"), f"{other} comes {word} {source[at]}.", "", "small")
    if roll < 0.85:
        a, b = rng.sample(range(100 if rng.random() < 0.4 else 10), 2)
        big = rng.random() < 0.65
        asked = pick(
            rng,
            [
                f"{{which|what}} is {{{'bigger|larger|greater|more' if big else 'smaller|less'}}}{{,|:|}} <a> or <b>",
                f"{{which|what}} number is {'larger' if big else 'smaller'}, <a> or <b>",
                f"is <a> {'bigger' if big else 'smaller'} than <b>",
            ],
            {"a": str(a), "b": str(b)},
        )
        top = max(a, b) if big else min(a, b)
        low = min(a, b) if big else max(a, b)
        answer = f"{top} is {'bigger' if big else 'smaller'} than {low}."
        if "is \x01" in asked or asked.startswith("is "):
            answer = ("Yes, " if top == a else "No, ") + answer
        return Turn(typed(rng, asked + "?"), answer, f"The numbers are {a} and {b}.", "small")
    a = rng.randrange(100 if rng.random() < 0.5 else 10)
    asked = pick(
        rng,
        ["is <a> {odd or even|even or odd|an even number|an odd number|even|odd}"],
        {"a": str(a)},
    )
    return Turn(
        typed(rng, asked + "?"),
        f"{a} is {'odd' if a % 2 else 'even'}.",
        f"The last digit is {a % 10}.",
        "small",
    )


def _number(rng: Random, value: int) -> str:
    return words.UNITS[value] if value <= 12 and rng.random() < 0.3 else str(value)


def _joined(rng: Random, values: list[str]) -> str:
    how = rng.random()
    if how < 0.6:
        return ", ".join(values)
    if how < 0.8:
        return listed(values)
    return " ".join(values) if how < 0.93 else ",".join(values)


def _ask(rng: Random, text: str) -> str:
    return text if text[-1] in "=" else text + rng.choice(("?", "?", ".", ""))


TASKS = [
    *[spell] * 7, *[count] * 2, *[sort] * 9, *[total] * 7, *[story_sum] * 2, *[too_big] * 3,
    *[listing] * 5, *[small_facts] * 3,
]  # fmt: skip


def task(rng: Random) -> Turn:
    return rng.choice(TASKS)(rng)
