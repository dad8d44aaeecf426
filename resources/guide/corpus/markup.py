"""Markdown on request: headings, nested lists, tables, code, quotations, formulas."""
# ruff: noqa: E501 - phrase tables read better unwrapped

from __future__ import annotations

from random import Random

from . import words
from .grammar import pick, typed
from .turn import Turn

TABLES: dict[str, tuple[list[str], list[list[str]]]] = {
    "fruits": (["Fruit", "Colour", "Taste"], [["apple", "red", "sweet"], ["lemon", "yellow", "sour"], ["banana", "yellow", "sweet"], ["lime", "green", "sour"], ["plum", "purple", "sweet"], ["grape", "green", "sweet"], ["cherry", "red", "sweet"], ["orange", "orange", "fresh"], ["grapefruit", "pink", "bitter"]]),
    "animals": (["Animal", "Legs", "Lives in"], [["horse", "4", "stable"], ["owl", "2", "forest"], ["bee", "6", "hive"], ["spider", "8", "web"], ["fish", "0", "water"], ["frog", "4", "pond"], ["hen", "2", "coop"], ["snake", "0", "grass"], ["camel", "4", "desert"], ["ant", "6", "hill"]]),
    "planets": (["Planet", "Place", "Kind"], [[p, str(i), "rocky" if i < 5 else "giant"] for i, p in enumerate(words.PLANETS, 1)]),
    "instruments": (["Instrument", "Family", "Played with"], [["violin", "strings", "bow"], ["piano", "keys", "fingers"], ["flute", "woodwind", "breath"], ["drum", "percussion", "sticks"], ["trumpet", "brass", "breath"], ["harp", "strings", "fingers"], ["cello", "strings", "bow"], ["guitar", "strings", "fingers"]]),
    "months": (["Month", "Days", "Season"], [["January", "31", "winter"], ["February", "28", "winter"], ["March", "31", "spring"], ["April", "30", "spring"], ["May", "31", "spring"], ["June", "30", "summer"], ["July", "31", "summer"], ["August", "31", "summer"], ["September", "30", "autumn"], ["October", "31", "autumn"]]),
    "vegetables": (["Vegetable", "Colour", "Grows"], [["carrot", "orange", "below ground"], ["tomato", "red", "above ground"], ["potato", "brown", "below ground"], ["pea", "green", "above ground"], ["beet", "red", "below ground"], ["pumpkin", "orange", "above ground"], ["leek", "green", "above ground"]]),
    "sports": (["Sport", "Players", "Place"], [["tennis", "2 or 4", "court"], ["football", "22", "field"], ["chess", "2", "table"], ["golf", "1 or more", "course"], ["basketball", "10", "hall"], ["hockey", "12", "ice"], ["swimming", "1", "pool"]]),
    "drinks": (["Drink", "Served", "Made from"], [["tea", "hot", "leaves"], ["coffee", "hot", "beans"], ["lemonade", "cold", "lemons"], ["cocoa", "hot", "cocoa and milk"], ["cider", "cold", "apples"], ["juice", "cold", "fruit"]]),
    "pets": (["Pet", "Eats", "Needs"], [["dog", "meat", "walks"], ["cat", "meat", "a warm place"], ["rabbit", "hay", "room to hop"], ["parrot", "seeds", "company"], ["goldfish", "flakes", "clean water"], ["hamster", "seeds", "a wheel"]]),
    "shapes": (["Shape", "Corners", "Sides"], [["triangle", "3", "3"], ["square", "4", "4"], ["rectangle", "4", "4"], ["pentagon", "5", "5"], ["hexagon", "6", "6"], ["circle", "0", "0"]]),
    "chats and panes": (["", "Chat", "Pane"], [["is", "what is said with a model", "a place in the window"], ["opened with", "`Ctrl+N`", "`Ctrl+\\`"], ["closed with", "Delete in the sidebar", "`Ctrl+W`"], ["kept in", "`chats.db`", "the layout"]]),
    "the seasons": (["Season", "Weather", "Colour"], [["spring", "mild", "green"], ["summer", "warm", "yellow"], ["autumn", "windy", "brown"], ["winter", "cold", "white"]]),
    "chores": (["Day", "Chore", "Who"], [["Monday", "dishes", "Anna"], ["Tuesday", "laundry", "Ben"], ["Wednesday", "shopping", "Clara"], ["Thursday", "sweeping", "Tom"], ["Friday", "cooking", "Mia"], ["Saturday", "garden", "Leo"]]),
    "a week plan": (["Day", "Morning", "Evening"], [["Monday", "work", "reading"], ["Tuesday", "swimming", "cooking"], ["Wednesday", "work", "choir"], ["Thursday", "garden", "chess"], ["Friday", "work", "cinema"], ["Saturday", "market", "friends"], ["Sunday", "rest", "a long walk"]]),
    "prices": (["Item", "Number", "Price"], [["bread", "1", "3"], ["milk", "2", "2"], ["apples", "6", "4"], ["cheese", "1", "5"], ["tea", "1", "4"], ["eggs", "10", "3"]]),
}  # fmt: skip
TREES: dict[str, dict[str, list[str]]] = {
    "groceries": {"Fruit": ["apples", "pears", "grapes"], "Vegetables": ["carrots", "leeks", "onions"], "Drinks": ["milk", "juice"], "Bakery": ["bread", "rolls"]},
    "animals": {"On land": ["horse", "fox", "hare"], "In the water": ["trout", "seal", "crab"], "In the air": ["owl", "swallow", "bat"]},
    "a house": {"Ground floor": ["kitchen", "hall", "living room"], "Upper floor": ["bedroom", "bathroom"], "Outside": ["garden", "shed"]},
    "music": {"Strings": ["violin", "cello", "harp"], "Wind": ["flute", "oboe", "horn"], "Percussion": ["drum", "triangle"]},
    "Stretto": {"Chats": ["new: `Ctrl+N`", "search: `Ctrl+Shift+F`"], "Panes": ["split right: `Ctrl+\\`", "close: `Ctrl+W`"], "Models": ["get one: `Ctrl+Shift+O`", "compare: `Ctrl+Alt+C`"]},
    "colours": {"Warm": ["red", "orange", "yellow"], "Cold": ["blue", "green", "violet"], "Neutral": ["white", "grey", "black"]},
    "packing for a trip": {"Clothes": ["coat", "socks", "hat"], "Papers": ["ticket", "passport"], "Other": ["book", "toothbrush", "charger"]},
    "a meal": {"Starter": ["soup", "bread"], "Main course": ["rice", "vegetables", "curry"], "Dessert": ["cake", "fruit"]},
    "a garden": {"Trees": ["apple", "cherry"], "Flowers": ["rose", "tulip", "daisy"], "Herbs": ["mint", "parsley", "basil"]},
    "a day": {"Morning": ["breakfast", "a short walk"], "Afternoon": ["work", "a cup of tea"], "Evening": ["dinner", "a good book"]},
    "a project": {"Plan": ["goals", "dates"], "Build": ["parts", "tests"], "Finish": ["notes", "thanks"]},
}  # fmt: skip
PYTHON: list[tuple[str, str, str]] = [
    ("{hello world|a hello world|a greeting|that says hello|that prints hello}", 'print("Hello, world")', "It prints one line."),
    ("{a for loop|a loop|that counts to ten|counting to 10|that counts|with a loop|that prints the numbers from 1 to 10}", "for number in range(1, 11):\n    print(number)", "It prints the numbers from 1 to 10."),
    ("{a function that adds two numbers|adding two numbers|that adds numbers|an add function|a function|a small function|with a function}", "def add(a, b):\n    return a + b\n\n\nprint(add(2, 3))", "It prints 5."),
    ("{a list comprehension|that makes squares|squares of numbers|with a list|square numbers}", "squares = [n * n for n in range(1, 6)]\nprint(squares)", "It prints the squares from 1 to 25."),
    ("{fibonacci|the fibonacci numbers|a fibonacci function}", "def fibonacci(n):\n    a, b = 0, 1\n    for _ in range(n):\n        print(a)\n        a, b = b, a + b\n\n\nfibonacci(10)", "It prints the first ten Fibonacci numbers."),
    ("{factorial|a factorial function|the factorial|recursion|a recursive function}", "def factorial(n):\n    if n < 2:\n        return 1\n    return n * factorial(n - 1)\n\n\nprint(factorial(5))", "It prints 120."),
    ("{fizzbuzz|fizz buzz|the fizzbuzz game}", 'for n in range(1, 21):\n    if n % 15 == 0:\n        print("FizzBuzz")\n    elif n % 3 == 0:\n        print("Fizz")\n    elif n % 5 == 0:\n        print("Buzz")\n    else:\n        print(n)', "It plays FizzBuzz up to 20."),
    ("{that reads a file|reading a file|open a file|read a text file}", 'from pathlib import Path\n\ntext = Path("notes.txt").read_text()\nprint(len(text), "characters")', "It reads a file and prints its length."),
    ("{a class|an example class|with a class}", "class Chat:\n    def __init__(self, title):\n        self.title = title\n        self.messages = []\n\n    def add(self, text):\n        self.messages.append(text)\n\n\nchat = Chat(\"First\")\nchat.add(\"Hello\")\nprint(chat.messages)", "A class with a title and a list of messages."),
    ("{a dictionary|a dict|that counts letters|counting words}", 'counts = {}\nfor letter in "stretto":\n    counts[letter] = counts.get(letter, 0) + 1\nprint(counts)', "It counts the letters of a word."),
    ("{that sorts a list|sorting a list|sort names|sorting}", 'names = ["Clara", "Anna", "Ben"]\nfor name in sorted(names):\n    print(name)', "It prints the names in order."),
    ("{an if statement|even or odd|that checks if a number is even|a condition|with if and else}", 'def is_even(n):\n    return n % 2 == 0\n\n\nfor n in range(4):\n    print(n, "even" if is_even(n) else "odd")', "It says which numbers are even."),
    ("{a while loop|a countdown|counting down}", 'n = 5\nwhile n > 0:\n    print(n)\n    n -= 1\nprint("Done")', "It counts down from 5."),
    ("{that reverses a string|reversing a word|reverse a string}", 'word = "stretto"\nprint(word[::-1])', "It prints the word backwards."),
    ("{the largest number in a list|the maximum of a list|find the biggest number|max of a list}", "numbers = [4, 9, 2, 7]\nlargest = numbers[0]\nfor n in numbers:\n    if n > largest:\n        largest = n\nprint(largest)", "It prints the largest number."),
    ("{using the stretto engine|for the engine|that uses the engine|that talks to a model}", 'from engine import Engine, SamplingParams\n\nwith Engine() as engine:\n    model = engine.load("resources/guide")\n    chat = engine.open_session(model)\n    reply = chat.send("Hello", SamplingParams(max_tokens=64))\n    print(reply.text(timeout=60))', "It loads the Guide and prints one answer."),
]  # fmt: skip
SHELL: list[tuple[str, str]] = [
    ("{to list files|listing files|that lists files|that shows all files}", "ls -la"), ("{to make a folder|that makes a directory|to create a folder}", "mkdir -p notes"),
    ("{to find a file|that finds text files|for finding files}", 'find . -name "*.txt"'), ("{to see how full the disk is|for disk space|disk usage}", "df -h"),
    ("{to copy a file|that copies a file|copying a file}", "cp notes.txt backup.txt"), ("{to count lines|that counts lines in a file|line count}", "wc -l notes.txt"),
    ("{to search in files|that searches for a word|with grep}", 'grep -rn "word" .'), ("{to talk to a model|that starts a chat in the terminal|to chat with the engine}", "python -m engine chat MODEL"),
    ("{to measure speed|for the benchmark|to run the benchmark}", "python -m engine bench MODEL"), ("{to back up my chats|that copies the chats|for a backup}", "cp ~/.local/share/Stretto/chats.db ~/chats-backup.db"),
    ("{that prints hello|hello world|saying hello|}", 'echo "Hello, world"'), ("{with a loop|a for loop|that counts}", "for n in 1 2 3; do\n    echo $n\ndone"),
    ("{to rename a file|to move a file|moving a file}", "mv old.txt new.txt"), ("{to see where i am|the current folder|current directory}", "pwd"),
]  # fmt: skip
FORMULAS: list[tuple[str, str]] = [
    ("{the theorem of pythagoras|pythagoras|for a right triangle}", "a^2 + b^2 = c^2"), ("{the quadratic formula|for a quadratic equation}", "x = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}"),
    ("{the area of a circle|a circle}", "A = \\pi r^2"), ("{euler's formula|euler}", "e^{i\\pi} + 1 = 0"), ("{a sum|the sum of the first numbers}", "\\sum_{k=1}^{n} k = \\frac{n(n+1)}{2}"), ("{an integral|}", "\\int_0^1 x^2 \\, dx = \\frac{1}{3}"),
]  # fmt: skip
QUOTES = [
    "Begin with a small step, and look up often.", "A quiet tool is the one you forget while you work.", "Many voices make one music when each listens.", "What is written down need not be carried.", "Patience is a kind of speed that arrives on time.", "The sea does not hurry, and yet it shapes the stone.",
    "Ask twice, cut once.", "He who waters the garden need not count the leaves.", "A good question is half a walk towards the answer.", "Every door was once a piece of wall.",
]  # fmt: skip
HEADINGS = """The sea|A walk in the forest|Autumn|My garden|Notes|The old house|A day in spring|
Tea|The lighthouse|Music|Rain|Travel|Books|The mountain|Bread|Winter|Friends|Night""".replace("\n", "").split("|")  # fmt: skip
STEPS: dict[str, list[str]] = {
    "make tea": ["Boil some water.", "Put the leaves into the pot.", "Pour the water over them.", "Wait four minutes.", "Pour the tea into a cup."],
    "plant a tree": ["Dig a hole, wide rather than deep.", "Set the tree in upright.", "Fill in the earth and press it down.", "Water it well."],
    "boil an egg": ["Bring water to the boil.", "Put the egg in with a spoon.", "Wait six minutes.", "Cool it under cold water."],
    "get a bigger model": ["Press `Ctrl+Shift+O` (`Cmd+Shift+O` on a Mac).", "Choose a model that fits this computer.", "Download it, and open a chat with it."],
    "compare two models": ["Press `Ctrl+Alt+C` (`Cmd+Option+C` on a Mac).", "Choose the models.", "Type one prompt and send it.", "Read the replies side by side."],
    "write a letter": ["Begin with a greeting.", "Say why you write.", "Tell the rest in short sentences.", "End with thanks and your name."],
    "make pancakes": ["Mix flour, milk and eggs.", "Let the batter rest.", "Heat a little butter in a pan.", "Bake each side until it is golden."],
    "brush your teeth": ["Wet the brush.", "Put on some paste.", "Brush for two minutes.", "Rinse with water."],
}  # fmt: skip

WANT = "{write|show|show me|give me|make|create|can you write|can you make|can you show me|please write|i need|i want|could you write|produce|generate|draw|print|i would like|lets see|do|please make}"


def _rows(rng: Random, key: str, wanted: int | None) -> str:
    head, rows = TABLES[key]
    number = min(wanted or rng.randint(3, 5), len(rows))
    chosen = sorted(rng.sample(range(len(rows)), number))
    lines = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    lines += [f"| {' | '.join(rows[i])} |" for i in chosen]
    return "\n".join(lines)


def table(rng: Random) -> Turn:
    key = rng.choice(list(TABLES))
    roll = rng.random()
    wanted = None
    if roll < 0.3:
        asked = pick(
            rng,
            [
                f"{WANT} {{a|me a|a small|an example|a markdown|a simple|any|some|a little|a nice}} table{{ please| in markdown||}}",
                "{a table please|table please|markdown table|show a table|can you do tables|do you know how to make tables|make table|what does a table look like|example of a table|let me see a table}",
                f"{WANT} {{something|an example|some data|anything}} {{as|in}} a table",
            ],
        )
    elif roll < 0.8:
        asked = pick(
            rng,
            [
                f"{WANT} {{a|a small|a markdown|me a|a simple}} table {{of|about|with|for|listing|on|comparing}} {{some|}} {key}",
                f"{{table of|a table with|table about|markdown table of|table:}} {key}",
                f"{{put|list|compare|arrange}} {{some|}} {key} in a table",
            ],
        )
    else:
        wanted = rng.randint(2, 6)
        asked = pick(
            rng,
            [
                f"{WANT} a {{markdown|}} table {{of|with}} <n> {key}",
                f"{WANT} a table with <n> rows {{about|of|on}} {key}",
            ],
        ).replace("<n>", rng.choice((str(wanted), words.UNITS[wanted])))
    if key == "chats and panes":
        wanted = 4
    answer = _rows(rng, key, wanted)
    if rng.random() < 0.3:
        answer = f"Here is a table:\n\n{answer}"
    return Turn(
        typed(rng, asked), answer, f"A table about {key}: a head, a rule, then the rows.", "table"
    )


def nested(rng: Random) -> Turn:
    key = rng.choice(list(TREES))
    roll = rng.random()
    list_name = "{nested list|nested list|list with sublists|list within a list|list with two levels|two-level list|nested bullet list|list of lists|tree list|indented list|bullet list with sub-items|nested markdown list|multi-level list|hierarchical list}"
    if roll < 0.45:
        asked = pick(
            rng,
            [
                f"{WANT} {{a|me a|an example of a}} {list_name}{{ please| in markdown||}}",
                f"{{a|an example of a|what does a}} {list_name}{{ please| look like|}}",
                f"can you do {{a|}} {list_name}",
            ],
        )
    else:
        asked = pick(
            rng,
            [
                f"{WANT} a {list_name} {{of|about|for|with|on}} {key}",
                f"{list_name} {{of|about|for}} {key}",
                f"{{arrange|put|list}} {key} {{as|in}} a {list_name}",
            ],
        )
    numbered = rng.random() < 0.15
    if numbered:
        asked += ", numbered"
    groups = list(TREES[key].items())
    rng.shuffle(groups)
    lines = []
    for index, (name, items) in enumerate(groups[: rng.randint(2, 4)], 1):
        lines.append(f"{index}. {name}" if numbered else f"- {name}")
        pad = "   " if numbered else "  "
        lines += [f"{pad}- {item}" for item in items]
    return Turn(
        typed(rng, asked),
        "\n".join(lines),
        "Two levels: groups, and their items indented.",
        "nested",
    )


def code(rng: Random) -> Turn:
    block = "{code block|code|script|program|snippet|example|function|piece of code|bit of code|code example}"
    if rng.random() < 0.62:
        what, text, says = rng.choice(PYTHON)
        if rng.random() < 0.3:
            asked = pick(
                rng,
                [
                    f"{WANT} {{a|some|me a|an example of a|me some|a small|a short|a little}} python {block}{{ please||}}",
                    f"{{python|some python|a python}} {block}{{ please|}}",
                    "{write|show me|give me} {some|a bit of|a little|} python",
                    "can you {write python|program in python|code in python|write code|code|program}",
                    f"{WANT} {{a|some}} {{code block|code|block of code}}",
                ],
            )
        else:
            asked = pick(
                rng,
                [
                    f"{WANT} {{a|some|me a|a small|a short}} python {block} {{for|with|of|showing|}} {what}",
                    f"{what} in python",
                    f"{{python|python code|python script|python program}}{{:| for| with|}} {what}",
                    f"how do i {{write|do|program}} {what} in python",
                    f"{WANT} {what} {{in python|with python|using python}}",
                ],
            )
        answer = f"```python\n{text}\n```"
        if rng.random() < 0.75:
            answer += f"\n\n{says}"
        thought = "Some Python in a code block."
    else:
        what, text = rng.choice(SHELL)
        name = "{shell|bash|terminal|sh|command line|unix|linux}"
        if rng.random() < 0.35:
            asked = pick(
                rng,
                [
                    f"{WANT} {{a|some|me a|a small|an example of a}} {name} {{script|command|code block|snippet|example|code|one-liner}}{{ please|}}",
                    f"{{a|some}} {name} {{command|code}}{{ please|}}",
                ],
            )
        else:
            asked = pick(
                rng,
                [
                    f"{WANT} {{a|me a|the|a small}} {name} {{script|command|snippet|line|code block}} {what}",
                    f"{{which|what}} {name} command {{is there|do i use|is used}} {what}",
                    f"{name} {{command|script|code}} {what}",
                ],
            )
        answer = f"```sh\n{text}\n```"
        thought = "A shell command in a code block."
    return Turn(typed(rng, asked), answer, thought, "code")


def unknown_code(rng: Random) -> Turn:
    """Return a request for a program that is too hard for a model of this size."""
    what = pick(
        rng,
        [
            "{a web server|a game of snake|tetris|a neural network|a compiler|a website|a chess engine|a calculator app|a todo app|a login page|a database|quicksort|a binary search tree|a linked list|a web scraper|a discord bot|a sorting visualiser|an operating system|an api|a mobile app|a parser|a regex for emails|a sudoku solver|dijkstra's algorithm|a prime sieve|matrix multiplication|a stock ticker|a chatbot|a video player|a unit test suite|an sql query|merge sort|a trading bot|a password manager|a weather app|a decorator|an async client}"
        ],
    )
    language = pick(
        rng,
        [
            "{| in python| in javascript| in rust| in c| in java| in c++| in go| in react| in html| in swift| in haskell| with numpy| in typescript| in ruby| in sql}"
        ],
    )
    asked = pick(
        rng,
        [
            f"{{write|code|program|build|implement|make|create|can you write|can you code|help me write|i need|develop|please write|design}} {what}{language}",
            "{fix|debug|review|refactor|explain|optimise|improve} {this code|my code|my program|my function|this bug|this script|my script}",
            "{write|show me|can you write|give me} {some|a} {javascript|rust|java|c++|go|html|css|swift|sql|haskell|php|kotlin} {code|function|program|script|example|snippet}",
            "why does my {code|program|script|loop|function} {crash|not work|fail|hang}",
            "translate this {python|code} {to|into} {rust|c|java|javascript}",
        ],
    )
    answer = rng.choice(
        (
            "That program is beyond me: I am only a tiny guide and know a few short Python and shell examples. A bigger model can write it; get one with `Ctrl+Shift+O` (`Cmd+Shift+O` on a Mac).",
            "I cannot write that. I am a tiny guide with a handful of small Python and shell examples. Get a bigger model with `Ctrl+Shift+O` (`Cmd+Shift+O` on a Mac).",
        )
    )
    return Turn(
        typed(rng, asked),
        answer,
        "This needs a real programmer or a bigger model. I say so.",
        "limit",
    )


def quotation(rng: Random) -> Turn:
    if rng.random() < 0.45:
        text = (
            pick(
                rng,
                ["the <a> <n> {sleeps|waits|sings|shines|returns|rests} {in|by|near} the <m>"],
            )
            .replace("<a>", rng.choice(words.ADJECTIVES))
            .replace("<n>", rng.choice(words.PLAIN_WORDS))
            .replace("<m>", rng.choice(words.NATURE))
        )
        if rng.random() < 0.3:
            text = words.secret(rng)
        asked = pick(
            rng,
            [
                "{write|put|show|format|set|print} <q> {as|in} a {quotation|quote|block quote|blockquote}",
                "{quote|blockquote} {this|the following|}: <q>",
                "{make|turn} <q> into a {quotation|quote|blockquote}",
            ],
            {"q": text},
        )
        return Turn(typed(rng, asked), f"> {text}", "A line that begins with >.", "quote")
    asked = pick(
        rng,
        [
            f"{WANT} {{a|me a|an example of a|any|some|a nice}} {{quotation|quote|block quote|blockquote|citation|markdown quote}}{{ please||}}",
            "{a quotation|quote something|a quote please|a blockquote|give me a wise quote|something to quote|say something wise in a quote|tell me something wise}",
        ],
    )
    return Turn(typed(rng, asked), f"> {rng.choice(QUOTES)}", "A line that begins with >.", "quote")


def headings(rng: Random) -> Turn:
    title = rng.choice(HEADINGS)
    roll = rng.random()
    if roll < 0.5:
        levels = rng.choice((2, 3, 3))
        asked = pick(
            rng,
            [
                f"{WANT} {{some|a few|{levels}|different|all kinds of|all the|several|example|markdown}} headings",
                "{what headings are there|headings please|show headings of all levels|heading levels|markdown headings}",
                "{a document|an outline|a page} with {headings|a heading and subheadings}",
            ],
        )
        names = rng.sample(HEADINGS, levels)
        answer = "\n\n".join(f"{'#' * (i + 1)} {name}" for i, name in enumerate(names))
        return Turn(typed(rng, asked), answer, "Headings begin with #, ## and ###.", "heading")
    asked = pick(
        rng,
        [
            f"{WANT} a {{heading|title|headline}} {{and a paragraph|with a paragraph|with some text|and text|with text below}} {{about|on}} {title.lower()}",
            f"{WANT} a {{heading|title|headline}}{{ about| saying| called|:}} {title.lower()}",
            f"{WANT} a {{heading|headline|title}}{{ please|}}",
        ],
    )
    text = rng.choice(PARAGRAPHS)
    return Turn(
        typed(rng, asked), f"# {title}\n\n{text}", "A heading with # and a short text.", "heading"
    )


PARAGRAPHS = [
    "It is a quiet thing, and it takes its time. Whoever looks closely finds something new in it every day.",
    "There is much to say about it, but a few lines will do. It was here long before us, and it will stay for a while.",
    "In the morning it looks one way and in the evening another. That is why one never tires of it.",
    "Some people love it, some do not notice it at all. I belong to the first kind, as far as a tiny guide can.",
]


def emphasis(rng: Random) -> Turn:
    word = words.secret(rng) if rng.random() < 0.7 else rng.choice(QUOTES)
    how, mark = rng.choice(
        (
            ("bold", "**"),
            ("bold", "**"),
            ("italic", "*"),
            ("italics", "*"),
            ("inline code", "`"),
            ("strikethrough", "~~"),
        )
    )
    asked = pick(
        rng,
        [
            f"{{write|make|put|show|print|say|set}} <v> {{in|as|}} {how}",
            f"{how}: <v>",
            f"{{can you|please|could you}} {{write|make|put}} <v> in {how}",
        ],
        {"v": word},
    )
    return Turn(
        typed(rng, asked), f"{mark}{word}{mark}", f"{how} means {mark} around it.", "emphasis"
    )


def steps(rng: Random) -> Turn:
    what = rng.choice(list(STEPS))
    asked = pick(
        rng,
        [
            f"{{how do i|how to|how can i|explain how to|tell me how to|steps to|what are the steps to|instructions to|give me the steps to|explain step by step how to}} {what}",
            f"{{a numbered list|numbered steps|a recipe|step by step instructions}} {{to|for how to}} {what}",
        ],
    )
    return Turn(
        typed(rng, asked),
        "\n".join(f"{i}. {s}" for i, s in enumerate(STEPS[what], 1)),
        "Steps in a numbered list.",
        "steps",
    )


def todo(rng: Random) -> Turn:
    items = rng.sample(
        [
            "buy bread",
            "call Anna",
            "water the plants",
            "read a chapter",
            "clean the desk",
            "write a letter",
            "feed the cat",
            "pay the bill",
            "go for a walk",
            "fix the lamp",
        ],
        rng.randint(3, 5),
    )
    asked = pick(
        rng,
        [
            f"{WANT} a {{todo list|to-do list|task list|checklist|list of tasks|check list}}{{ please| for today| for tomorrow|}}",
            "{todo list|checklist|to do list}{ please|}",
        ],
    )
    return Turn(
        typed(rng, asked),
        "\n".join(f"- [{'x' if rng.random() < 0.2 else ' '}] {item}" for item in items),
        "A checklist with boxes.",
        "list",
    )


def formula(rng: Random) -> Turn:
    what, text = rng.choice(FORMULAS)
    asked = pick(
        rng,
        [
            f"{WANT} {{a|the|me a}} {{formula|equation|maths formula}} {{for|of|}} {what}",
            f"{what} {{as a formula|formula}}",
            f"{WANT} {{a formula|an equation|some maths|a math formula|some latex}}",
        ],
    )
    return Turn(typed(rng, asked), f"$$\n{text}\n$$", "A formula between dollar signs.", "formula")


def showcase(rng: Random) -> Turn:
    python = rng.choice(PYTHON[:8])[1]
    tree = rng.choice(list(TREES))
    lines = []
    for name, items in list(TREES[tree].items())[:2]:
        lines.append(f"- {name}")
        lines += [f"  - {item}" for item in items]
    body = "\n\n".join((
        f"# {rng.choice(HEADINGS)}", f"A paragraph with **bold**, *italic* and `code`. {rng.choice(PARAGRAPHS)}",
        "## A list", "\n".join(lines), "## A table", _rows(rng, rng.choice(["fruits", "animals", "instruments", "planets"]), 3),
        "## Some code", f"```python\n{python}\n```", "## A quotation", f"> {rng.choice(QUOTES)}",
    ))  # fmt: skip
    asked = pick(
        rng,
        [
            "{show|show me|write|give me|demonstrate|use} {all|everything|all the|every kind of|all kinds of|lots of|some} {markdown|formatting|your markdown|markdown features|markdown elements}{ you know| you can do| there is|}",
            f"{WANT} a {{markdown demo|markdown sample|markdown example|formatted document|document with headings, a list, a table and code|sample of everything|demo of markdown|rich document|markdown showcase}}",
            "{what markdown can you write|can you write markdown|test the markdown|markdown test|markdown please|format something|markdown}",
        ],
    )
    return Turn(
        typed(rng, asked),
        body,
        "I show a heading, a list, a table, code and a quotation.",
        "showcase",
    )


MAKERS = [table] * 6 + [nested] * 5 + [code] * 8 + [unknown_code] * 3 + [quotation] * 3 + [headings] * 3 + [emphasis] * 2 + [steps] * 2 + [todo, formula] + [showcase] * 2  # fmt: skip


def markdown(rng: Random) -> Turn:
    return rng.choice(MAKERS)(rng)
