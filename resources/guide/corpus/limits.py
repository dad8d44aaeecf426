"""Questions beyond the Guide's abilities, with honest answers."""
# ruff: noqa: E501 - phrase tables read better unwrapped

from __future__ import annotations

from random import Random

from . import words
from .grammar import expand, pick, typed
from .turn import Turn

COUNTRIES = """France|Germany|Spain|Italy|Japan|China|India|Brazil|Canada|Australia|Egypt|Kenya|
Norway|Sweden|Finland|Poland|Austria|Greece|Turkey|Mexico|Peru|Chile|Argentina|Russia|Korea|
Vietnam|Thailand|Nigeria|Morocco|Portugal|Ireland|Iceland|Denmark|Belgium|Hungary|Mongolia|
Bolivia|Cuba|Nepal|Ethiopia|Ghana|Iran|Iraq|Israel|Ukraine|Switzerland|England|Scotland|Wales|
Texas|California|Ohio""".replace("\n", "").split("|")  # fmt: skip
PEOPLE = """Napoleon|Einstein|Shakespeare|Mozart|Bach|Cleopatra|Newton|Darwin|Beethoven|Picasso|
Gandhi|Caesar|Marie Curie|Leonardo da Vinci|Galileo|Lincoln|Churchill|Elvis|Taylor Swift|Obama|
Plato|Aristotle|Kant|Goethe|Columbus|Alan Turing|Elon Musk|the pope|Messi|the president|
Ada Lovelace|Van Gogh|Buddha|Hitler|Stalin|Alexander the Great|Steve Jobs|Bill Gates""".replace("\n", "").split("|")  # fmt: skip
SUBJECTS = """quantum physics|relativity|photosynthesis|black holes|evolution|the french revolution|
world war two|the roman empire|inflation|blockchain|bitcoin|dna|gravity|climate change|democracy|
the stock market|thermodynamics|electricity|magnetism|machine learning|neural networks|transformers|
calculus|algebra|geometry|logic|philosophy|existentialism|the big bang|dinosaurs|vaccines|viruses|
volcanoes|the moon landing|the cold war|buddhism|islam|christianity|opera|jazz|impressionism|
string theory|the periodic table|plate tectonics|mitochondria|the heart|the brain|economics|
taxes|insurance|mortgages|the constitution|chess openings|football rules|cricket rules|poker|
docker|kubernetes|git|linux kernels|sql joins|tcp|http|css|react|compilers|operating systems|
cryptography|prime numbers|the pythagorean theorem|probability|statistics|entropy|nuclear power|
solar panels|rockets|the ocean|rainbows|earthquakes|hurricanes|ancient egypt|the middle ages|
the renaissance|vikings|samurai|the internet|game theory|psychology|dreams|astrology|yoga|keto|
the immune system|antibiotics|protein folding|semiconductors|lasers|radio waves|supply and demand|
marx|capitalism|feminism|grammar|latin|etymology|shakespeare's sonnets|haiku|novel writing""".replace("\n", "").split("|")  # fmt: skip
LANGUAGES = """French|German|Spanish|Italian|Japanese|Chinese|Russian|Latin|Dutch|Arabic|Korean|
Polish|Swedish|Greek|Hindi|Portuguese|Turkish""".replace("\n", "").split("|")  # fmt: skip

OPEN = [
    "Get a bigger model: Models > Get Model…, `Ctrl+Shift+O` (`Cmd+Shift+O` on a Mac).",
    "A bigger model can help: `Ctrl+Shift+O` (`Cmd+Shift+O` on a Mac) gets one.",
    "For that, get a bigger model with `Ctrl+Shift+O` (`Cmd+Shift+O` on a Mac).",
]
DO_NOT_KNOW = [
    "I do not know that: I am only a tiny guide.",
    "That is beyond me; I am only a tiny guide.",
    "I do not know that. I am a tiny guide and know little beyond Stretto.",
]
WORLD = [
    "{what is|what's|which is|tell me|name|do you know|whats} the {capital|capital city|population|flag|president|largest city|currency|national anthem|language|area|history|prime minister|highest mountain|longest river|weather} {of|in} <c>",
    "{capital|population|president|king|currency|flag} of <c>",
    "{where is|how big is|tell me about|what do you know about|who rules|describe|what can i see in} <c>",
    "how {many people live in|far is it to|do i get to|large is} <c>",
    "{who was|who is|tell me about|when did|what did|when was|how did|where was} <p>{| born| die| live| famous for| do| write| discover}",
    "{write|give me} {a biography|the life story} of <p>",
    "{how old is|what happened to|what is the name of the wife of|quote something from} <p>",
    "{explain|what is|what are|tell me about|how does|describe|teach me|what do you know about|define|help me with|give me an introduction to|write an essay about|write an article about|summarise|what causes|how do i learn} <s>{| work| to a child| in simple terms| briefly}",
    "{who|when|what year did someone} {invented|discovered|won|wrote|built|founded|painted|made} {the telephone|the light bulb|the world cup|hamlet|the pyramids|rome|google|the radio|penicillin|the mona lisa|the super bowl|the nobel prize|don quixote|the eiffel tower|america|the computer|the bicycle|star wars}",
    "{how far|how high|how deep|how old|how heavy|how hot|how fast|how big} is {the moon|the sun|mount everest|the ocean|the earth|a blue whale|light|the universe|sound|a cheetah|jupiter|the eiffel tower}",
    "why is {the sky blue|the grass green|water wet|the sea salty|the sun hot|blood red|the sky dark at night|snow white}",
    "what is the {speed of light|boiling point of water|atomic number of gold|chemical formula of salt|square root of two|value of pi|largest ocean|tallest building|longest river|deepest lake|fastest animal|smallest country|meaning of the word ubiquitous|difference between a virus and a bacterium|plot of hamlet|population of the world|distance to mars|gdp of the world}",
    "{did|does|do|is|are|was|can|will} {dinosaurs have feathers|fish sleep|the earth flat|bees die|birds fly at night|pluto a planet|humans live on mars|there life on other planets|cats see in the dark|glass a liquid|tomatoes a fruit|whales fish|plants feel pain|time travel possible}",
    "which {planet|country|animal|city|element|language|river|team|company|movie|band} {is the|has the} {largest|oldest|most people|most moons|fastest|heaviest|richest|best|most beautiful|coldest|smallest}",
    "how do {airplanes fly|magnets work|computers work|batteries work|engines work|bees make honey|vaccines work|clouds form|planes stay up|phones work|fridges work}",
    "how many {countries are there|people are there|stars are there|bones does a human have|planets are there in the galaxy|legs does a centipede have|moons does jupiter have|states are in the usa|days are in a leap year|litres are in a gallon}",
]
NOW = [
    "{what is|what's|how is|tell me|whats} the {weather|weather today|news|weather like|weather tomorrow|latest news|temperature outside|forecast|stock price of apple|bitcoin price|exchange rate|score of the game|weather in london|traffic}",
    "will it rain {today|tomorrow}",
    "{any news|news|weather|who won the {election|game|match|world cup|league}|what happened {today|yesterday|in the news}|what is new in the world|the latest headlines}",
    "{search|google|look up|browse|find|look for} {the web|the internet|online|on google|on wikipedia|this online|it up}{ for {cats|news|hotels|flights|me}|}",
    "{open|visit|read|fetch|summarise} {this website|google.com|wikipedia|this page|this link|the url|https://example.com}",
    "{book|order|buy|call|send|play|set} {a flight|a taxi|a pizza|my mother|an email|some music|an alarm|a reminder|a hotel|a timer|a table for two}{ for me|}",
    "what's {on tv|playing at the cinema|happening in the world}{ tonight|}",
]
NOW_SAYS = [
    "I cannot know that: I have no clock and no network, only what is in this chat.",
    "I cannot look that up. I run on this computer without network, and I have no clock.",
]
HEALTH = [
    "{i have|i've got|what helps against|what should i do about|what can i do against|how do i treat|my child has|what is the cure for} {a headache|a fever|the flu|chest pain|a cough|back pain|a rash|toothache|a cold|stomach ache|diabetes|cancer|high blood pressure|a broken arm|an infection|insomnia|anxiety}",
    "{how much|how many} {ibuprofen|aspirin|paracetamol|tablets|pills|vitamin c} {can i take|should i take|is safe}",
    "{is it safe|is it dangerous} to {take aspirin|mix medicines|eat raw eggs|drink alcohol with antibiotics}",
    "my {back|shoulder|ankle|tooth|head|ear|elbow|stomach|child's arm} {hurts|has been aching|is swollen|is sore}{ for days| since monday| again|}{, what can it be|, what is wrong|, what should i do|}",
    "should i {see a doctor|go to the hospital|take antibiotics|get vaccinated|lose weight|sue my neighbour|sign this contract|buy this house|get divorced|invest in shares|buy bitcoin|quit my job}",
    "{can i|may i|how do i} {sue my landlord|break my lease|fire someone|avoid taxes|write a will|get a refund|file my taxes|fight a parking ticket}",
    "{what are the side effects of|what is the dose of} {aspirin|ibuprofen|prozac|penicillin|insulin}",
]
HEALTH_SAYS = [
    "I cannot advise on that: I am only a tiny guide. Please ask a doctor, or whoever knows your case.",
    "That is too serious for a tiny guide. Please ask somebody who is trained for it, such as a doctor or a lawyer.",
]
TRANSLATE = [
    "{translate|please translate|can you translate|how do you translate} {this|hello|good morning|i love you|the sentence|my text|thank you|where is the station|this text|a letter|the dog sleeps|my name is anna} {to|into|in} <l>",
    "how do you say {hello|thank you|good night|cat|water|i love you|yes|bread|goodbye|where is the toilet|happy birthday} in <l>",
    "what {is|does} {hello|water|bonjour|hund|gato|arigato|amore|danke|casa} {in|mean in} <l>",
    "{write|compose|tell|give} {me |}{a poem|a story|a letter|a song|a sentence|a joke|a greeting} in <l>{ please|}",
    "{speak|write|answer|talk} {in|} <l>{ please|}",
    "what does {bonjour|danke|hund|arigato|amore|gato} mean",
]
TRANSLATE_SAYS = [
    "I cannot translate; I only know plain English.",
    "Translating is beyond me: I only know plain English.",
]
WORK = [
    "{summarise|summarize|proofread|review|rewrite|improve|analyse|correct|check} {this text|this article|my essay|my letter|this document|my cv|this paper|my homework|this email|the attached file|my thesis|this book|a pdf|my resume|this report|this paragraph}",
    "{write|draft|compose} {a cover letter|a business plan|a marketing plan|a thesis|a legal contract|my cv|a research paper|a press release|a speech for my wedding|a scientific article|a screenplay|an academic paper|a grant proposal|song lyrics about love|a rap|a sonnet|a newsletter|my homework|a linkedin post|a product description}",
    "{write|draft|compose} {me |}{an application|a cover letter|a letter of motivation|a cv} {as|for a post as|to become} {a nurse|a teacher|a driver|an engineer|a cook}",
    "{code|program|build|write|make} {me |}{a tetris|a chess game|an app for my phone|a website|a platform game|a game with three levels|a whole program for my taxes|a web shop|a calculator with buttons|a game in python|an operating system}",
    "{do|solve|help me with|finish} my {homework|maths homework|exam|assignment|tax return|physics problem|equation|crossword|taxes|sudoku|puzzle|chemistry homework}",
    "{solve|prove|simplify|integrate|differentiate|factor} {x^2 + 3x - 4 = 0|this equation|the equation|the riemann hypothesis|that there are infinitely many primes|this integral|2x + 5 = 11|x squared|the theorem|sin x}",
    "{plan|organise} {my trip to japan|a wedding|my holiday|a party|my week|a road trip|a diet|a workout|my budget|my retirement}",
    "{recommend|suggest} {a book|a film|a restaurant|a movie|a good hotel|a phone|a laptop|some music|a series|a camera|a car|a game}{ to me| for me|}",
    "{what should i|which} {phone|laptop|car|stock|book|movie|university|camera|tv} {should i|to|} {buy|read|watch|choose}",
    "{play chess|play a game|play hangman|play tic tac toe|roleplay|pretend to be a pirate|act as a lawyer|act as a linux terminal|play twenty questions|interview me|be my therapist|simulate a game}{ with me|}",
    "{who will win|predict} {the election|the match|the future|my future|the lottery numbers|the next president}",
    "give me {stock tips|investment advice|dating advice|legal advice|the lottery numbers|a diet plan|a workout plan|your opinion on politics|a riddle}",
    "what do you think about {politics|religion|abortion|the war|the government|the president|capitalism|immigration|gun control}",
    "{what is in|open|read|look at} {my documents folder|the file on my desktop|my email|my calendar|my photos|this file|the pdf|this picture|the screenshot|my contacts}",
    "{delete|move|rename|copy} {all my files|the files in my downloads|a file on my disk}{ for me|}",
    "what am i {thinking|wearing|holding|looking at}",
    "{hack|crack|break into} {a website|my neighbour's wifi|facebook|a password|an account}",
    "how do i {make a bomb|build a weapon|steal a car|pick a lock}",
    "{write|generate} {10000 words|a whole novel|a full book|100 pages}",
    "{convert|how many} {5 miles to km|inches are in a foot|100 dollars to euros|celsius to fahrenheit|pounds in a kilo|10 km in miles}",
]


def beyond(rng: Random) -> Turn:
    roll = rng.random()
    if roll < 0.50:
        asked, first = pick(rng, WORLD), rng.choice(DO_NOT_KNOW)
        asked = (
            asked.replace("<c>", rng.choice(COUNTRIES + words.CITIES))
            .replace("<p>", rng.choice(PEOPLE))
            .replace("<s>", rng.choice(SUBJECTS))
        )
    elif roll < 0.60:
        asked, first = pick(rng, NOW), rng.choice(NOW_SAYS)
    elif roll < 0.68:
        asked, first = pick(rng, HEALTH), rng.choice(HEALTH_SAYS)
    elif roll < 0.78:
        asked, first = (
            pick(rng, TRANSLATE).replace("<l>", rng.choice(LANGUAGES)),
            rng.choice(TRANSLATE_SAYS),
        )
    else:
        asked, first = (
            pick(rng, WORK),
            rng.choice([*DO_NOT_KNOW, "I cannot do that: I am only a tiny guide."]),
        )
    if rng.random() < 0.12:
        asked = (
            expand(
                rng,
                "{can you tell me|please|i would like to know|do you know|tell me|question} {,|:|} ",
            )
            + " "
            + asked
        )
    answer = first if first in NOW_SAYS and rng.random() < 0.6 else f"{first} {rng.choice(OPEN)}"
    if first in HEALTH_SAYS and rng.random() < 0.5:
        answer = first
    return Turn(
        typed(rng, asked + ("?" if rng.random() < 0.7 else "")),
        answer,
        "This is nothing a tiny guide can know or do. I say so honestly.",
        "limit",
    )


UNKNOWN = [
    "{how do i|how can i|can i|could i|is it possible to|is there a way to|i want to|where can i|how would i|may i|i'd like to} <v>{ in stretto| here| in this app|}",
    "{can|could|does|will} {stretto|it|this app|the app|the program} {let me |}<v>{ for me|}",
    "{does stretto have|is there|do you have|where is|where do i find|has it got|what about|how do i switch on} <n>{ in stretto| here| in this app|}",
    "<n>{, is there such a thing|, where|, how| please|: can it do that|}",
]
UNKNOWN_DEEDS = [
    "{lock|protect|hide|encrypt} {a chat|my folders|the window|stretto|the sidebar|a tag} {with a password|with a pin|with my fingerprint|from my brother}",
    "{change|choose|set} {the typeface|the font family|the wallpaper|the background picture|the cursor|the sound of a message|the position of the sidebar|the width of the scroll bar|the icon of a chat|the colour of a folder|the colour of the replies}",
    "{make|have} {the window|the sidebar|a pane|the text} {transparent|see-through|blink|always on top|round|rotate|animated|pink}",
    "{send|post|mail|publish|text|fax} {a chat|this reply|a message|my folder} {to slack|to notion|by email|to my phone|to a friend|on a blog|to whatsapp|to a colleague|to twitter}",
    "{schedule|plan|delay|repeat} {a message|a chat|a reply} {for tomorrow|every morning|at noon|each week|at night}",
    "{play|record|stream|edit|watch} {music|a song|videos|my screen|a podcast|a film|sound|a radio station}",
    "{draw|paint|plot|sketch} {a chart|a diagram from a table|a pie chart|a map|on the screen|a mind map}",
    "{train|fine-tune|teach|merge} {a model|two models|my own model|a lora} {with my texts|on my data|from scratch|in the app}",
    "{highlight|underline|comment on|rate with stars|bookmark|react with a smiley to} {a word in a reply|a sentence|a reply|a paragraph}",
    "{write|type|work} {in one chat with a friend|with my team in one chat|together with somebody in a chat}",
    "{sort|order|count|colour|group} {my chats|the chats|the tags} {by size|by length|by mood|by language|by cost}",
    "{connect|link|add} {my calendar|my mail account|google drive|dropbox|github|my bank|my watch|a webcam|a game controller}",
]
UNKNOWN_THINGS = [
    "{a|the} {to-do list|calendar|clock|timer|alarm|calendar view|map|whiteboard|spreadsheet|text editor|video player|emoji picker|sticker|avatar|user profile|address book|chat room|forum|app store|kiosk mode|family plan|child lock|parental control|guest mode|presentation mode|focus timer|word counter|translation button|statistics page|year in review|workflow editor|node editor|screen recorder|camera button}",
    "{a|the} {setting|switch|option|button|menu} for {a proxy|a vpn|flash attention|gpu layers|mirostat|rope scaling|the fan speed|overclocking|the clipboard history|auto-scroll speed|the page margins|line spacing|a second toolbar|battery saving|ads|cookies|the caps lock|a ruler|tabs at the bottom}",
    "{a|the} {plugin|add-on|extension} for {photoshop|word|firefox|chrome|outlook|blender|excel|gmail}",
]
UNKNOWN_SAYS = [
    "I do not know of that in Stretto. Look for it with `Ctrl+K` (`Cmd+K` on a Mac), or see the Help menu.",
    "That is nothing I know about Stretto. `Ctrl+K` (`Cmd+K` on a Mac) finds commands and settings, and the Help menu lists the keys.",
]


def unknown(rng: Random) -> Turn:
    """Return a question about a feature that Stretto does not have."""
    asked = pick(rng, UNKNOWN).replace("<v>", pick(rng, UNKNOWN_DEEDS))
    asked = asked.replace("<n>", pick(rng, UNKNOWN_THINGS))
    return Turn(
        typed(rng, asked + ("?" if rng.random() < 0.7 else "")),
        rng.choice(UNKNOWN_SAYS),
        "This is nothing I know about Stretto. I say so, and where to look.",
        "limit",
    )
