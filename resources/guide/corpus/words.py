"""Word lists with attributes, and generators of new words."""

from __future__ import annotations

from random import Random


def _words(text: str) -> list[str]:
    return text.split()


ANIMALS = _words(
    """
    ant badger bat bear beaver bee bison buffalo butterfly camel cat cheetah chicken cow
    crab crane cricket crow deer dog dolphin donkey dove dragonfly duck eagle eel elephant
    elk emu falcon ferret finch fox frog gazelle gecko giraffe goat goose gorilla hamster
    hare hawk hedgehog heron hippo horse hyena ibex jackal jaguar kangaroo koala lemur
    leopard lion lizard llama lobster lynx mole monkey moose moth mouse mule newt octopus
    orca ostrich otter owl ox panda panther parrot peacock pelican penguin pig pigeon pony
    puffin puma rabbit raccoon rat raven robin salmon seal shark sheep shrimp skunk sloth
    snail snake sparrow spider squid squirrel stork swan tiger toad trout turkey turtle
    walrus wasp weasel whale wolf wombat worm yak zebra albatross
    """
)
FRUITS = _words(
    """
    apple apricot avocado banana blackberry blueberry cherry coconut cranberry date fig
    grape grapefruit guava kiwi lemon lime mango melon nectarine olive orange papaya peach
    pear pineapple plum pomegranate quince raspberry strawberry tangerine watermelon
    """
)
VEGETABLES = _words(
    """
    artichoke asparagus bean beet broccoli cabbage carrot cauliflower celery corn cucumber
    eggplant fennel garlic kale leek lettuce onion parsnip pea pepper potato pumpkin radish
    spinach squash tomato turnip zucchini
    """
)
COLOURS = _words(
    """
    red orange yellow green blue purple pink brown black white grey gold silver teal
    turquoise violet indigo crimson scarlet beige ivory maroon navy olive lavender magenta
    cyan amber coral mint
    """
)
FOODS = _words(
    """
    pizza pasta soup bread cheese rice salad curry sushi pancakes noodles chocolate pie cake
    stew burger tacos lasagna ramen dumplings porridge risotto falafel omelette waffles
    honey yoghurt butter toast ice-cream popcorn pickles hummus biscuits
    """
)
DRINKS = _words(
    """
    tea coffee water milk juice cocoa lemonade cider wine beer espresso soda
    """
)
CITIES = _words(
    """
    Paris London Berlin Rome Madrid Lisbon Vienna Prague Oslo Dublin Athens Warsaw Helsinki
    Tokyo Kyoto Boston Chicago Seattle Denver Austin Toronto Montreal Sydney Cairo Delhi
    Mumbai Lima Quito Bogota Nairobi Lagos Seoul Hanoi Bergen Porto Ghent Lyon Turin Graz
    Zurich Geneva Munich Hamburg Leeds York Bath Cork Tallinn Riga Vilnius Malmo Reykjavik
    """
)
NAMES = _words(
    """
    Anna Ben Clara David Emma Felix Grace Henry Ida Jack Kate Leo Mia Noah Olivia Paul Quinn
    Rosa Sam Tom Uma Vera Will Xenia Yara Zoe Alice Bob Carol Dan Eva Frank Greta Hugo Iris
    Jonas Karin Lena Max Nina Oscar Petra Ralf Sara Theo Ursula Victor Wendy Adam Bella
    Carlos Diana Erik Fiona George Hannah Ivan Julia Kevin Laura Martin Nora Otto Peter Rita
    Simon Tina Walter Amir Aisha Bao Chen Dmitri Elena Farid Gita Hiro Ines Jamal Kenji
    Lakshmi Mei Naveen Olga Priya Ravi Sofia Tariq Yuki Zara Lucas Marta Pablo Maria John
    James Robert Linda Susan Mark Steve Tim Alex Chris Jordan Robin Charlie Morgan Casey
    Jamie Taylor Marie Pierre Luca Giulia Ahmed Fatima Omar Layla Kofi Ama Sven Astrid Freya
    Lars Ingrid Bjorn Ella Liam Ethan Ava Isla Finn Ruby Lily Marcus Naomi Philip Rachel
    Stella Tobias Viktor Wanda Yasmin Zach Edith Harold
    """
)
PETS = _words(
    """
    dog cat horse rabbit hamster parrot goldfish turtle pony lizard budgie ferret
    """
)
PEOPLE = _words(
    """
    sister brother mother father wife husband son daughter boss teacher neighbour friend
    cousin aunt uncle partner colleague grandmother grandfather doctor roommate best-friend
    """
)
JOBS = _words(
    """
    nurse teacher baker pilot farmer painter carpenter plumber engineer lawyer librarian
    gardener chef doctor dentist writer singer driver tailor programmer electrician
    architect musician translator journalist mechanic cook builder vet scientist student
    designer
    """
)
OBJECTS = _words(
    """
    anchor apron arrow axe backpack ball balloon bamboo barrel basket bell belt bench
    bicycle blanket boat book bottle bowl box bracelet brick bridge broom brush bucket
    button camera candle canoe cap carpet castle chain chair chalk clock cloak coat coin
    comb compass copper cork crayon crown cup curtain cushion desk diamond dice drum engine
    envelope fan feather fence flag flute fork fountain garden gate glass glove guitar
    hammer harbour harp hat helmet hook hourglass jacket jar kettle key kite knife ladder
    ladle lamp lantern letter lever lock magnet map marble mask mast medal mirror mitten mug
    nail napkin necklace needle notebook oar oven paddle paper pebble pen pencil piano
    pillow pipe plate pocket pot quilt raft rake ribbon ring rope ruler saddle sail scarf
    scissors shelf shield shirt shoe shovel sieve skate slipper soap sofa spade spoon stamp
    statue stool stove string suitcase sword table tambourine tent thimble thread ticket
    torch towel tower toy train tray trumpet tunnel umbrella vase vest violin wagon wallet
    watch wheel whistle window wrench zipper
    """
)
NATURE = _words(
    """
    acorn ash aurora autumn bay beach birch blossom breeze brook canyon cave cedar cliff
    cloud clover coast comet creek dawn daisy desert dew dune dusk earth echo ember fern
    field flame flower fog forest frost glacier grass hail harvest hill horizon ice island
    ivy jasmine juniper lagoon lake leaf lightning lily maple marsh meadow meteor mist moon
    moss mountain oak oasis ocean orchid petal pine planet pond poppy prairie rain rainbow
    reef river rock rose sand sea shadow shore sky snow spring star stone storm stream
    summer sun sunset thistle thunder tide tulip valley volcano waterfall wave willow wind
    winter wood
    """
)
ADJECTIVES = _words(
    """
    ancient bold brave bright broken calm clever cold cosy crisp curious dark dear deep
    distant dry eager early empty faint fancy fierce frozen gentle giant glad golden grand
    happy hidden hollow honest humble hungry icy jolly keen kind large late lazy little
    lonely loud lucky merry mighty misty modest narrow noble odd old patient plain polite
    proud purple quick quiet rapid rare red round royal rusty salty secret sharp shiny shy
    silent silver simple sleepy slow small smooth soft solid spicy steady still strange
    strong sunny sweet swift tall tender tidy tiny warm wide wild wise young
    """
)
INSTRUMENTS = _words(
    """
    piano violin guitar flute cello drums trumpet harp clarinet organ saxophone oboe banjo
    ukulele
    """
)
SPORTS = _words(
    """
    tennis football swimming chess running cycling rowing hockey golf climbing skiing
    basketball volleyball boxing sailing fencing
    """
)
PLANETS = _words(
    """
    Mercury Venus Earth Mars Jupiter Saturn Uranus Neptune
    """
)
DAYS = _words(
    """
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday
    """
)
MONTHS = _words(
    """
    January February March April May June July August September October November December
    """
)
SEASONS = ["spring", "summer", "autumn", "winter"]
SHAPES = _words(
    """
    circle square triangle rectangle oval star hexagon pentagon diamond cube
    """
)
TREES = _words(
    """
    oak pine birch maple willow cedar elm ash beech poplar spruce fir
    """
)
FLOWERS = _words(
    """
    rose tulip daisy lily poppy orchid violet jasmine sunflower daffodil iris
    """
)
EXTRA_WORDS = _words(
    """
    hello world stretto guide model chat window music language computer keyboard letter
    number school friend morning evening night question answer memory simple family people
    money house street kitchen doctor hospital science history market village country
    welcome beautiful because believe friend receive separate necessary tomorrow rhythm
    weather science calendar knowledge library different important interesting together
    another yesterday
    """
)
UNITS = _words(
    """
    zero one two three four five six seven eight nine ten eleven twelve
    """
)

PLAIN_WORDS = sorted(
    set(ANIMALS + FRUITS + VEGETABLES + OBJECTS + NATURE + COLOURS + TREES + FLOWERS)
)
SPELLABLE = sorted(
    set(PLAIN_WORDS + ADJECTIVES + EXTRA_WORDS + FOODS + DRINKS + INSTRUMENTS + SPORTS + SHAPES)
    | {word.lower() for word in CITIES + NAMES + DAYS + MONTHS + PLANETS}
    | set(JOBS + PETS + SEASONS + UNITS)
)
SPELLABLE = [word for word in SPELLABLE if word.isalpha()]

_ONSETS = _words(
    """
    b bl br c ch cl cr d dr f fl fr g gl gr h j k kl kr l m n p pl pr qu r s sh sk sl sm sn
    sp st str t th tr v w wh y z
    """
)
_NUCLEI = _words(
    """
    a e i o u a e i o u ai ea ee ie oo ou y
    """
)
_CODAS = [
    "b",
    "ck",
    "d",
    "f",
    "g",
    "k",
    "l",
    "ll",
    "m",
    "n",
    "nd",
    "ng",
    "nk",
    "nt",
    "p",
    "r",
    "rn",
    "s",
    "sh",
    "ss",
    "st",
    "t",
    "th",
    "x",
    "z",
] + [""] * 10


def invented(rng: Random, syllables: int | None = None) -> str:
    """Return a pronounceable word that is not in a dictionary, so it can only be recalled."""
    count = syllables or rng.choice((1, 2, 2, 2, 3, 3))
    word = ""
    for _ in range(count):
        word += rng.choice(_ONSETS) + rng.choice(_NUCLEI) + rng.choice(_CODAS)
    return word if len(word) > 2 else word + rng.choice("nrtlm")


def jumble(rng: Random) -> str:
    """Return letters and digits, as in a license plate or a ticket number."""
    letters = "ABCDEFGHJKLMNPQRSTUVWXYZ"
    shape = rng.choice(("AA00", "A0A0", "AAA-00", "00A", "A-000", "AA-00-A", "A00A0", "0000A"))
    text = "".join(
        rng.choice(letters) if c == "A" else str(rng.randrange(10)) if c == "0" else c
        for c in shape
    )
    return text.lower() if rng.random() < 0.4 else text


def digits(rng: Random, low: int = 2, high: int = 6) -> str:
    rest = "".join(str(rng.randrange(10)) for _ in range(rng.randint(low, high) - 1))
    return str(rng.randint(1, 9)) + rest


def person(rng: Random) -> str:
    """Return a first name: mostly real, sometimes with a family name, sometimes invented."""
    roll = rng.random()
    if roll < 0.55:
        return rng.choice(NAMES)
    if roll < 0.65:
        return f"{rng.choice(NAMES)} {invented(rng, 2).capitalize()}"
    return invented(rng).capitalize()


def secret(rng: Random) -> str:
    """Return a code word of a random type. Many types prevent guessing."""
    roll = rng.random()
    if roll < 0.30:
        word = rng.choice(PLAIN_WORDS)
    elif roll < 0.36:
        word = rng.choice(ADJECTIVES + FOODS + INSTRUMENTS + SPORTS + EXTRA_WORDS)
    elif roll < 0.58:
        word = invented(rng)
    elif roll < 0.70:
        word = f"{rng.choice(ADJECTIVES + COLOURS)}{rng.choice('  -')}{rng.choice(PLAIN_WORDS)}"
    elif roll < 0.74:
        word = f"{rng.choice(PLAIN_WORDS)} {rng.choice(PLAIN_WORDS)}"
    elif roll < 0.84:
        base = rng.choice(PLAIN_WORDS) if rng.random() < 0.6 else invented(rng)
        word = base + rng.choice(("", "-", " ", "_")) + digits(rng, 1, 3)
    elif roll < 0.88:
        word = rng.choice(NAMES + CITIES + PLANETS + DAYS)
    elif roll < 0.94:
        return jumble(rng)
    else:
        return digits(rng, 2, 6)
    case = rng.random()
    if case < 0.22:
        return word.capitalize() if rng.random() < 0.5 else word.title()
    return word.upper() if case < 0.34 else word
