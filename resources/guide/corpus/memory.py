"""Memory within a conversation: telling, asking, correcting, and asking about unknown things.

An answer repeats the value exactly as typed, in the sentence of the acknowledgement ("The code word
is ..."), so that a small network can find it by looking back.
"""

# ruff: noqa: E501 - phrase tables read better unwrapped

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from . import words
from .grammar import expand, keep, listed, pick, typed
from .rewording import reworded
from .turn import Turn

CODE_NAMES = """code word|code word|code word|code word|codeword|codeword|code-word|secret word|
password|magic word|secret code|passphrase|safe word|secret|key word|keyword|watchword|pass word|
access code|code name|codename|secret phrase|word of the day|code|word|secret name|code phrase|
door code|signal word|agent name|token word|activation word|secret key|pass phrase|mystery word
""".replace("\n", "").split("|")

# General forms of statements and questions, with optional and variable parts.
OPENER = "{||||right then, |well, |so, |ok, |okay, |hi, |hello, |hello guide. |hey you, |now, |first, |listen, |please, |one more thing: |by the way, |btw |just so you know, |for the record, |a little game: |let us play a game. |before we start, |good morning. |dear guide, |next: |here goes: |very well, }"
DESCRIBED = "{||||for this chat |of this chat |for today |for later |that counts |we use |in our game |between us |this time |i mean |from me |to be kept |for you |of the day |of our team |which i chose |that i like |i have in mind |i want kept |to learn }"
TAIL = "{||||||. ok|, ok|. thanks|. remember it|, remember that|. i will ask you|, i may ask for it|. please confirm|. got it|, right|. do not lose it|, dont forget|. keep it well|. tell nobody|, will you|. you will need it|. is that clear|, my friend|. that is all|, shall we|, for now|. write it down|, and nothing else}"
WISH = "{i would|i'd|i will|it would} {be happy|be pleased|be grateful|be nice|be great|be good|appreciate it|like it|love it|be thankful|thank you|prefer it|help me} if you {could |would |can |}{keep|kept|note|noted|remember|learn|learned|save|saved|store|stored|hold|held|memorise|memorised|retain|hold on to|take in|write down|look after}"
REMARK = "{i have a {good|bad|funny|new|odd|terrible|great} {idea|memory|day|plan|feeling|question|reason}|this is {important|serious|a test|a game|for later|only for you|how it starts|fun}|{let us|we will|shall we|now we|time to} {begin|play|start|try something|test you|do this|check your memory}|{my|our} {friend|boss|team|teacher|mother|brother} {says so|wants it so|is listening|told me|is waiting|sent me}|{be|stay|keep} {careful|quiet|calm|sharp|awake}|{i am|we are} {ready|in a hurry|back|serious|alone|done|curious}|{open|prick up} your ears|{pay|your full} attention|{i|we} {trust|need|count on|chose} you|{no|without a} {joke|doubt|hurry|problem|mistake}}"
WISH_TO_HEAR = "{i would|i'd|i will} {be happy to|be glad to|like to|love to|want to|be pleased to|need to|have to|prefer to} {hear|see|know|get|have|read|receive|learn|check}"
CODE_TELLS = [
    OPENER + "{the|my|our|your|this|a|one|that} {new |secret |little |only |}<k> " + DESCRIBED + "{is|is|is|will be|shall be|should be|must be|ought to be|happens to be|reads|goes|would be|was set to|has become|equals|is called|is simply|is just|:|is this:|is now|is the following:} <v>" + TAIL,
    OPENER + "{remember|learn|keep|memorise|memorize|note|store|save|hold|hang on to|hold on to|take|guard|know|retain|treasure|look after|bear in mind|you get|you have|you receive|i give you|i trust you with|i am giving you|i hand you|i lend you|let me give you|i have|there is|we have|we take|you must know|you should know|pls remember|pls memorise|pls keep|plz note} {the|my|our|this|a|your|one|} <k>{,|:|:| -| namely| called| which is|, it is|} <v>" + TAIL,
    OPENER + "<v> {is|shall be|will be|is going to be|becomes|serves as|counts as|works as|is used as|ought to be|must be|is meant as|is chosen as} {the|my|our|your|this chat's} <k> " + DESCRIBED + TAIL,
    OPENER + "{keep|remember|hold|store|memorise|take|use|pick|choose|know} <v>{,|, it is|, that is|, which is| as} {the|my|our|your|this} <k> " + DESCRIBED + TAIL,
    OPENER + "{there is a|i have a|we have a|you get a|you will need a|here comes a|this chat has a|i know a|i thought of a|i made up a} <k>{: | and it is |, it is |. it is | namely |, and it reads } <v>" + TAIL,

    "{the|my|our|your|this chat's|today's|the new} <k> is <v>",
    "{the|my|our|your} <k> {will be|shall be|should be|for today is|for this chat is|for now is|here is|is:|=|: } <v>",
    "{remember|please remember|remember this|keep in mind|memorise|memorize|don't forget|do not forget|note|learn|save|store|hold on to|keep|bear in mind|take note}{:|,|} {the|my|our|your|this} <k> {is|is|is|will be|:} <v>",
    "{remember|memorise|keep|note down|store|save|hold|learn|please remember} {the|this|my|a} <k>{:| -|,|} <v>",
    "{i want|i would like|i'd like|i need} you to {remember|memorise|keep|note|keep in mind|hold on to} {the|this|my} <k>{:| ,|} <v>",
    "{the|my|our} <k> is <v>{,| -|.|;} {remember it|please remember it|remember that|don't forget it|keep it in mind|keep it safe|i will ask you later|i will ask for it later|can you remember that|memorise it|note it|i'll ask you about it later|you will need it later|hold on to it|store it}",
    "<v> is {the|my|our|your|today's} <k>",
    "{use|take|let us use|let's use|we use|we will use|i choose|i chose|i picked|i pick|we agreed on|i have chosen} <v> {as|for} {the|my|our|your|a} <k>",
    "{here is|here's|this is|here comes} {the|my|our|your} <k>: <v>",
    "{let|make} {the|my|our|your} <k> {be|} <v>",
    "{i am|i'm} {giving|telling} you {the|a|my|our} <k>{:|, it is|. it is| now:} <v>",
    "{i will tell you|let me tell you|i tell you|i give you|listen, i have|i have} {the|a|my} <k>{:|. it is|, it is|, which is} <v>",
    "{set|change} the <k> to <v>",
    "for {this chat|this conversation|later|today}, {the|our|your} <k> is <v>",
    "{hello|hi|hey|ok|so|listen|now|good morning|right}{, |. | - }{the|my|our|your} <k> is <v>",
    "{if i ask|when i ask|should i ask} {you|} {for|about} the <k>{ later|}, {say|answer|it is|the answer is|reply|tell me} <v>",
    "{can|could|will|would} you {remember|keep|note|memorise} {that|} {the|my|our|this} <k> {is|is|:} <v>",
    "your <k> is <v>. {remember it|keep it|don't forget it|}",
    "{my|the} <k>: <v>", "<k>: <v>", "<k> = <v>", "<k> is <v>", "the <k> we {use|agreed on|chose|picked} is <v>",
    "{write down|jot down|put down|register|record} {the|my|this} <k>{:|,|} <v>",
    "from now on {the|our|my} <k> is <v>",
    "as <k> {i take|we take|take|use|i use|i choose} <v>",
    "{you are|you're} {to remember|keeping} the <k> <v>",
    "the <k> you {must|should|have to|need to} {remember|keep|know} is <v>",
    "<v>. {that is|this is|that will be|that shall be|there you have|so much for|this would be|it is} {the|my|our|your} <k>{|. remember it|. ok|. clear|. do you have it|. keep it|. understood}",
    "<v>, {that is|this is|that's} {the|my|our|your} <k>{|, remember it}",
    "{attention|listen|important|listen up|careful|notice|ready|now then}{:|,|!|.} <k>{:| is|, it is|} <v>",
    "<k> {coming up|for you|time|update|news|info|today}{:|,|!| -} <v>",
    "{i hand|i pass|i entrust|let me hand|let me pass|i will give|let me tell|i want to give|i am going to tell|i'm now giving} you {the|a|my|our|this} <k>{:|,|. it is|, namely|, which is|, it's|} <v>",
    "{i decided|i have decided|we decided|it was decided|i say|i declare|let it be known|you should know|you must know|fact is|you ought to know|be aware|keep in mind} {that|} {the|our|my|your} <k> {is|should be|shall be|will be|must be|is to be} <v>",
    "{keep|hold|store|guard|save|take|have} {the|this|my|our|a} <k> <v> {for me|safe|until later|until i ask|for now|in your memory|until i need it|till i come back}",
    "{if|when|whenever|as soon as|once} i {say|ask for|mention|want|request} {the|my|our} <k>{, |, you |, then }{answer|say|give me|tell me|reply|return} <v>",
    "{you will|you are going to|i will|later i will|soon i will} {be asked|ask you|ask} {for|about} {the|a|my} <k>{.|:|;|,} {it is|the <k> is|it will be|it's} <v>",
    "{i am|i'm|you are|you're|we are} {a spy|secret agents|in a game|playing a game|on a mission|agents}{.|,|;} {the|my|your|our} <k> is <v>",
    "{the|my|our} <k> {for|in|of} {our|this|the|my} {talk|chat|little chat|game|conversation|session|team|project|secret club} {is|will be|shall be} <v>",
    "{of all words|after long thought|for some reason|as always|from today|since yesterday|in this chat|during this chat|for today}{,|} {the|our|my} <k> is <v>",
    "{psst|hey|shh}, the <k> is <v>{, tell nobody|, keep it secret|}",
    "<v>{. |, |: |! |; | - | = }{that's|thats|this one is|that one is|it's|so goes|so reads|there is|and that is|and this is|which is|i chose it as|take it as|it serves as|meet} {the|my|our|your|this chat's} <k>{||. ok|. alright|. all clear|. remember|. fine|. noted|. you know it now|. hold it|. i will ask|, deal|, agreed}",
    "<v> {it is|it shall be|it will be|then|is it|now}{. |, |: }{the <k>|our <k>|as <k>|as my <k>|that is the <k>|i mean the <k>|for the <k>}{||, i mean|, remember|. keep it}",
    "<v> {will serve|will do|can serve|is fine|sounds good|is good|was chosen|is now set|got chosen|is what we use|is what i picked} {as|for} {the|my|our|a} <k>" + TAIL,
    "<v>{, | - | ... }{remember|keep|note|learn|store|save|memorise} {this|that|it} as {the|my|our} <k>" + TAIL,
    "{i would|i'd|i will} be {glad|happy|pleased|grateful} if you {remembered|kept|noted|saved|knew|held|learned} <v>{, |: | - }{the|my|our|it is the|that is my|it is our|this chat's} <k>" + TAIL,
    "{i would like|i want|let us have|i wish} <v> to {be|become|serve as|stand as} {the|my|our} <k>" + TAIL,
]  # fmt: skip
BACK = "{tell me|give me|give back|hand me|hand back|hand over|say|repeat|name|recall|show me|let me have|let me hear|let me know|return|bring me|write|remind me of|i want|i need|i would like|i'd like to hear|i am asking for|i ask for|i came for|i am back for|do tell me|please tell|please give|please name|gimme|pls say|speak|produce|deliver|please hand me|now hand me|may i have|may i hear|can i get|could i get|could i hear|can you give me|could you say|can you repeat|will you tell me|would you say|can u say|can u give me}"
CODE_ASKS = [
    OPENER + BACK + " {back |again |once more |now |please |quickly |}{the|my|our|that|your|this} <k>{||||| again| once more| now| please| then| from before| from earlier| of this chat| you were given| you know| i gave you| i told you| we chose| back| if you can| at once| you learned| you should know| you keep}",
    OPENER + "{what|which} {is|was|is|was|would be|might be|will be} {the|my|our|that|your|this|that} <k>{||||| again| then| now| please| you were told| i gave you| i had you learn| from before| from earlier| of this chat| for this chat| you were given| you learned| we agreed| exactly| once more}",
    OPENER + "{the|my|our|that} <k> {was what|is what|is which|was which|was|is|please|again|, what is it|, what was it|, which is it|, tell me|, say it|, do you know it|, do you have it|, do you remember|? tell me|, i forgot it|, once more}{ again|}",
    OPENER + "{what|which} <k> {did i|did we|do you|have i|have you|did you|were you|was i|am i|do we|should you} {give you|tell you|choose|have|been given|been told|told|told about|talking about|remember|know|use|keep|mention|set|pick|learn|hear|get}{| before| earlier| again| just now| at the start}",

    "what {is|was|is|is} {the|my|our|your|the|that|this chat's} <k>{| again| now| please}",
    "what's {the|my|our|your} <k>{| again}",
    "{tell|give|show|remind} me {of|} {the|my|our|your} <k>{| again| please| now}",
    "{say|name|state|repeat|write|recall|give|return|reveal|print} {the|my|our|your} <k>{| again| please| now}",
    "{do|can|did|could} you {still|} {remember|recall|know|keep|note} {the|my|our} <k>",
    "{which|what} <k> did i {give|tell|say to|mention to|set for} you",
    "{which|what} {is|was} the <k> {i gave you|i told you|i mentioned|you should remember|you were told|from before|i set|we agreed on|from earlier|you got|i asked you to remember|you had to remember}",
    "i {forgot|have forgotten|can't remember|cannot remember|don't remember|lost} {the|my|our} <k>{, what was it|, what is it|, tell me|, can you help|. can you tell me|, remind me|}",
    "{can|could|would|will} you {please |}{tell|give|remind|say|repeat|send} {me|} {of|} {the|my|our} <k>{| again| please}",
    "<k>", "<k> please", "the <k>", "and the <k>", "so, {the|what is the|what was the} <k>", "now {say|tell me|give me|what is} the <k>",
    "and {what is|what was|now} {the|my|our} <k>",
    "{i need|i want|i'd like|may i have|can i have|could i have|let me have|let me hear|let me see} {the|my|our} <k>{| now| back| again| please}",
    "what {did i say|did i tell you|was it that i told you|have i told you} {the|my|our} <k> {is|was}",
    "{time to|please|it is time to} {tell|give} {me|} the <k>{| back}",
    "{hi|hey|ok|well|right|now then|all right}, what {is|was} the <k>",
    "what do you have as {the|my|our} <k>", "the <k> is {what|...|which one}",
    "{answer with|reply with|respond with|just say|only say} the <k>",
    "what <k> {do you have|was it|is it|have you got|have i given you|am i using|are we using}",
    "{right|ok|so|now|fine|good|time is up|it is time|here we go|moment of truth|test}{, |: |. |; }{the <k>|your answer, the <k>|what about the <k>|let me hear the <k>|give the <k>|the <k> again|out with the <k>|which <k>}",
    "{would|do|could} you mind {telling|giving|repeating to|naming|saying} me {the|my|our} <k>",
    "{do you|did you|you surely|i hope you|i bet you} {happen to |still |} {know|remember|have|keep} {the|my|our} <k>",
    "{let us see|let's see|i wonder|i want to see|show me|prove} {if|whether|that} you {know|remember|recall|kept|have} {the|my|our} <k>",
    "{hand|give|bring|pass} {me |}{back |}{the|my|our} <k>{ back| to me| again|}",
    "{was there|is there|did i give you|have you got} a <k>{. which|, which one|, tell me|. what is it| and what is it|. say it}",
    "{i|we} {picked|chose|set|agreed on|gave you|told you|mentioned|talked about} {a|the} <k>{. which|, which one|. what was it|, what was it|. say it|. repeat it}",
    "{a while ago|before|earlier} i {told|gave} you {a|the|my} <k>{. what was it|, what was it|. which one| - what was it}",
]  # fmt: skip
ONLY_ASKS = [
    "what {did i|was it i|did i just} {ask|tell|want} you to {remember|keep|keep in mind|memorise|hold on to|note}",
    "what {should|must|do|did} you {remember|keep in mind|have to remember} {for me|}",
    "what was it {again|}", "what {was|is} the {word|thing} {i gave you|i told you|you should remember|to remember|you were told to remember}",
    "which {word|one} was it", "do you {still|} remember {it|what i told you|what i said}", "{tell|say} it {to me |}again",
    "{tell|remind} me what i {told you|said|asked you to remember|gave you}", "what did i {tell|give} you{ earlier| before| at the start|}",
    "what are you {remembering|keeping in mind|holding on to}{ for me|}",
    "{can|could} you {repeat|recall|say} {what i told you|what i asked you to remember|the word i gave you|it}",
]  # fmt: skip
CODE_TELLS += [
    WISH + " {the|my|our|this|a} {little |new |}<k>{:|,| -|, namely|, which is|, that is|} <v>" + TAIL,
    WISH + " <v>{, the| as the|, my| as my|, our|, which is the|, it is the|, that being the} <k>" + TAIL,
    WISH + " that {the|my|our|your} <k> is <v>" + TAIL,
    REMARK + "{. |: |, |; | - }{the|my|our|your|this} {new |current |only |}<k> {is|is|will be|shall be|would be|:|=} <v>" + TAIL,
    REMARK + "{. |: |, |; }<v> {is|shall be|will be|is now|becomes} {the|my|our|your} <k>" + TAIL,
    "{the|my|our|your|a} <k> {everyone|my team|my boss|the club|my sister|nobody else|only i|both of us|we all} {uses|knows|chose|picked|likes|knows about|wants|agreed on} is <v>" + TAIL,
    "{the|my|our} <k>{, |: |. }<v>{, |. |; | - }{is|that is|this is} {all you need|what matters|for you|the thing to keep|what i will ask for|important|secret}",
    "{the|my|our} {<k> that|<k>, which|<k>} {i|we} {want|wanted|need|asked|would like|wish} you to {know|have|learn|keep|hold} {for later |}is <v>" + TAIL,
    "{about|regarding|concerning|as for|as to} {the|my|our|your} <k>{:|,} {it is|it's|it will be|we take|i chose|use|} <v>" + TAIL,
    "{a|one|the} <k> for {you|later|our chat|the game|safekeeping|your memory}: <v>" + TAIL,
    "<v> - {note|remember|keep|learn|mind|save} {it|that|this}{, |; | - |: }{it is|it's|that's|this is|as} {the|my|our|your} <k>",
    "{today|tonight|this week|now|here|in here|right now|at present|starting today|as of now|from this moment} {the|my|our} <k> {is|is|reads|will be|goes} <v>" + TAIL,
    "{the|my|our} <k> {today|tonight|this week|now|here|in here|right now|at present|from here on|between us} {is|is|reads|will be} <v>" + TAIL,
    "{the|my|our} <k> {has been|was|got} {changed to|set to|chosen:|picked:|decided:|fixed as|agreed as} <v>" + TAIL,
    "{mine|yours|ours|it} is <v>{, |: |. |; }{the|my|your|our} <k>{, i mean|, that is|, of course|}",
    "{the|my|our} {secret|thing|word} {to remember|to keep|to know|you must not forget} is {the|my|a} <k> <v>" + TAIL,
    "{say|answer|reply|give} <v> {when|if|whenever|as soon as|once} {i ask|somebody asks|you are asked|i want to hear|i call} for {the|my|our} <k>" + TAIL,
    "<k>{: | - | is | = |, }<v>{, i will want it later|, will ask later|, keep it please|, memorise pls|, thats all|, and that is final|. no need to answer|. more later|, for the game}",
    "{here|there} {you go|you are|it is|it comes|we go}{: |, |. }{the|my|our|your} <k>{ is|,|:} <v>" + TAIL,
]  # fmt: skip
CODE_ASKS += [
    REMARK + "{. |: |, |; | - }{what|which} {is|was|would be} {the|my|our|that} <k>",
    WISH_TO_HEAR + " {the|my|our|that|this chat's} <k>{| again| now| please| once more| from before| if you can}",
    "{the|my|our|that} <k>{, |: |. |; }{out with it|let us have it|come on|quick|now|go on|if you please|your turn|i am waiting|spit it out|what does it say|how did it go}",
    "{you|we} {had|got|have|were given|received|kept} {a|the|one|my} <k>{, |: |. |; }{which|what is it|say it|what was it|name it|tell me}",
    "{what|which} {word|one|thing} {is|was} {the|my|our} <k>{| again| then| in this chat}",
]  # fmt: skip
CLAUSE = "{to hold on to|to keep|to remember|to look after|to take care of|to learn|to guard|for safe keeping|for your memory|to carry with you|to put away|to store away|to keep in mind|to give back}{|| until i {need|want|ask for|come back for|call for} it{| again| back| later}| till {later|i return|the end of this chat|i say so|you are asked}| for {when i ask|later|the rest of this chat|a while|the next questions}| while we {talk|chat|go on|do other things}}"
END = "{||. got it|, got it|. ok|. right|. clear|. alright|, ok|. understood|. can you keep it|. do you have it|. did you get that|. remember it|. all right then|. good|. noted|. now you know|. make a note|, so remember|. do not lose it|. easy|. is it noted}"
# Words between the thing and its name, or after both, that are not part of the name.
APART = [
    "{let me give you|i give you|here is|here comes|i have|i've got|there is|take|please take|you get|i want to give you|allow me to give you|i leave you|let me leave you} {a|the|my|our|one} <k> " + CLAUSE + "{: |, namely |: it is |, it is | - |. it is |. it's |, and it is }<v>" + TAIL,
    "{the|my|our} <k> {which|that|} {you should|i want you to|we agreed to|you are to|i would like you to|you must|i will ask you to} {keep|remember|hold on to|know|learn|give back|say}{| until i ask| till later| for me| for this chat| when i ask| later on} {is|will be|shall be|:|is this one:} <v>" + TAIL,
    "<v>{. |! |... |, | - |: }{|so |and |well, |yes, }{that's|that is|this is|there you have|that was|that will be|that would be|this will be|that must be|that has to be} {the|my|our|your|this chat's|today's} <k>" + END,
    "<v>{. |! |... |, | - |. . }{|so |and |well, }{that's|that is|this is|that was|that will be|it is} {what i chose as|what we use as|what you keep as|what i have as|going to be|meant to be|supposed to be} {the|my|our|your} <k>" + END,
    "{for reference|for the record|for the sake of order|for later use|for your information|to be clear|to make it official|as agreed|as of now}{,|:} <v> {is|is going to be|will be|shall be|ought to be|has become} {our|the|my|your} <k>" + END,
    "<v> {is|shall be|will be|is now} {the|my|our|your} <k>" + END,
]  # fmt: skip
CODE_TELLS += APART * 3
# The general forms come first in both lists, and are chosen more often.
CODE_TELLS += CODE_TELLS[:5] * 5
CODE_ASKS += CODE_ASKS[:4] * 4
NAME_TELLS = [
    "{my name is|i am|i'm|call me|you can call me|please call me|people call me|they call me|my name's|the name is|the name's|i am called|i'm called|everybody calls me|my first name is} <v>",
    "{hi|hello|hey|good morning|good evening|howdy}{,|} {my name is|i am|i'm|this is|it's|it is} <v>",
    "{hi|hello|hey}, <v> here", "<v> is my name", "{remember|note|please remember} {that|} my name is <v>", "my name is <v>, {nice to meet you|how are you|remember it|please remember it|don't forget it}",
    "this is <v> {speaking|here|}", "you are {talking|speaking|chatting} {to|with} <v>", "i go by {the name|} <v>", "{just|} call me <v>", "let me introduce myself{:|,} {i am|i'm|my name is} <v>", "i was {christened|named} <v>",
]  # fmt: skip
NAME_ASKS = [
    "{what is|what's|what was|do you know|do you remember|tell me|say|can you tell me|remind me of|can you say|do you recall|could you tell me|please say|repeat} my name{| again| please| now}",
    "who am i{ again|}", "what am i called", "{what|how} do {you|people} call me", "do you {remember|know|still know} {who i am|what i am called|what my name is|how i am called}", "what did i say my name {is|was}", "my name", "and my name", "who are you {talking|speaking|chatting} {to|with}", "what name did i {give|tell} you", "i forgot my {own |}name, {what is it|tell me}", "{which|what} name {do i have|is mine}", "did i tell you my name",
]  # fmt: skip
FAVOURITE_TELLS = [
    "my <f> <k>? {it is|it's|of course|certainly|always|oh,|i would say} <v>", "my <f> <k> is <v>", "my <f> <k> {is definitely|has always been|would be|must be|is probably|of all is|is of course} <v>", "<v> is my <f> <k>",
    "i like <v> best{ of all|}{, as <k>s go|}{, that is my <f> <k>|, it is my <f> <k>}", "the <k> i {like|love|enjoy|prefer} {most|best|more than any other} is <v>",
    "{remember|please remember|note|by the way|you know|did you know|fun fact|just so you know}{,|:|} {that|} my <f> <k> is <v>", "{as for|when it comes to} <k>s{,|} i {like|love|prefer} <v> best", "my <f> <k>: <v>",
    "my <f> <k> is <v>{, what is yours|, remember that|. can you remember that|, don't forget|, and yours}", "if i had to {choose|pick} a <k>{,|} {it would be|i would take} <v>", "no <k> {beats|is better than} <v>{ for me|, it is my <f>|}",
]  # fmt: skip
FAVOURITE_ASKS = [
    "what {is|was|is} my <f> <k>{| again}", "what's my <f> <k>", "{which|what} <k> do i {like|love|prefer|enjoy} {best|most|the most}", "do you {remember|know|still know|recall} my <f> <k>", "tell me my <f> <k>{| again}", "my <f> <k>", "and my <f> <k>", "{which|what} is the <k> i {like|love} {most|best}", "{which|what} <k> did i say {i like best|is my <f>|i like most|i love}", "what did i say my <f> <k> {is|was}", "{name|say|repeat|recall} my <f> <k>", "remind me of my <f> <k>", "can you {tell me|remember|name} my <f> <k>",
]  # fmt: skip
PLAIN_TELLS = [
    "<s>", "<s>", "<s>", "{remember|please remember|keep in mind|note|don't forget|by the way|you should know|just so you know|for your information|you know what|i wanted to say|listen}{:|,|} {that|} <s>", "<s>{, remember that|. remember that|, please remember|, don't forget|. keep that in mind|, can you remember that|. i will ask you later}", "{can|could|will} you {remember|note|keep in mind} that <s>", "{ok|so|well|hi|hey|hello}, <s>", "i {want|need} you to {remember|know} that <s>",
]  # fmt: skip
CORRECTIONS = [
    "{no|sorry|actually|wait|correction|hm|oh|hold on|stop|my mistake|oops}{,|} {it is|it's|i meant|make it|it should be|that was wrong, it is|i was wrong, it is} <v>{| now}",
    "{actually|sorry|wait|no|correction|hm|my mistake}{,|} {<n> is|<n> is now} <v>{| now}", "<n> {has changed|changed|is different now}{:|,|. it is|, it is} {now|} <v>", "{change|update|set|switch} <n> to <v>", "{forget that|forget the old one|scratch that|not that}{,|. |;} <n> is {now|} <v>", "from now on <n> is <v>", "<n> is now <v>{, not the old one| instead|}", "<n> is no longer that{,|. it is|, but} <v>", "i changed my mind{,|:|. } <n> is <v>",
]  # fmt: skip
ACKS = [
    "{Noted|Noted|I will remember that|I will remember it|Got it|All right|Understood|Thank you|Good|I will keep it in mind|Very well|Of course}. <S>.",
    "<S>. {I will remember it|I will keep it in mind|I have noted it}.",
]  # fmt: skip


FILLERS = [
    "{it is|it was} a {long|fine|grey|busy|quiet} {day|morning|week}{ here| for me|}",
    "i {was|have been} at the {market|office|station|library|dentist} {today|this morning|yesterday}",
    "{the|my} {neighbour|train|kettle|cat|bus|computer} {is late|makes noise|is old|is asleep|was late again}",
    "i {bought|saw|found|lost} {some|a few} {apples|books|birds|stamps|pencils|coins}{ today| yesterday|}",
    "{sorry|thanks} for {the wait|your help|waiting|listening}",
    "{let me see|let us see|now|all right|so far so good|moving on|back to the start|let us test your memory}",
    "{we|i} {talked|spoke} about {many things|the weather|music|this and that}",
    "the {coffee|tea|soup} is {getting cold|good|too hot|ready}",
    "i {like|love|am fond of} {rain|quiet evenings|long walks|old maps|music}",
    "{later|tomorrow|next week} i will {travel|work|rest|visit a friend|clean the house}",
    "there {is|was} {a bird|somebody|a dog|a man} {at the window|in front of the house|in the garden}",
    "{i hope you are well|nice to be here|good to be back|i am back|here i am again}",
]


def buried(rng: Random, told: str) -> str:
    """Return a longer message with the thing to remember in its middle."""
    parts = [pick(rng, FILLERS) for _ in range(rng.choice((1, 1, 2, 3)))]
    parts.insert(rng.randrange(len(parts) + 1), told)
    return ". ".join(part[0].upper() + part[1:] for part in parts)


@dataclass
class Item:
    """A thing to remember. `noun` names it to the user ("your name")."""

    noun: str
    value: str
    statement: str
    tells: Sequence[str]
    asks: Sequence[str]
    slots: dict[str, str] = field(default_factory=dict)
    only_asks: bool = False
    typed_noun: str = ""

    def tell(self, rng: Random) -> Turn:
        if rng.random() < 0.08:
            # Quoted in the statement and in the answer, so both have the same tokens.
            mark = rng.choice(('"', '"', "'", "`"))
            quoted = f"{mark}{self.value}{mark}"
            self.statement = self.statement.replace(self.value, quoted)
            self.value = quoted
        told = pick(rng, self.tells, {**self.slots, "v": self.value, "s": self._as_user()})
        if rng.random() < 0.06:
            end = pick(
                rng,
                [
                    "{just|only|simply|} {say|reply|answer|respond|reply with|answer with} ok{| now| if you got it| once you have it}",
                    "{reply|answer} {only|just} {with|} ok",
                    "{confirm|reply} with ok",
                ],
            )
            return Turn(finish(rng, f"{told}. {end}"), "OK.", self._note(), "tell")
        if rng.random() < 0.12:
            told = buried(rng, told)
        return Turn(finish(rng, told), self.acknowledge(rng), self._note(), "tell")

    def acknowledge(self, rng: Random) -> str:
        if self.noun == "your name" and rng.random() < 0.75:
            text = "{Nice to meet you|Hello|Welcome|Pleased to meet you|Good to meet you}, <v>. {I will remember your name|Your name is noted|What can I do for you|How can I help|I will remember that your name is <v>}."
            text = (
                expand(rng, text, {"v": self.value})
                .replace("help.", "help?")
                .replace("for you.", "for you?")
            )
            return text.replace("\x01", "").replace("\x02", "")
        return fill(rng, rng.choice(ACKS), self.statement)

    def ask(self, rng: Random, alone: bool) -> Turn:
        if self.only_asks and alone and rng.random() < 0.25:
            asked = pick(rng, ONLY_ASKS)
        else:
            asked = pick(rng, self.asks, self.slots)
        answer = f"{self.statement}."
        if rng.random() < 0.05:
            asked += pick(
                rng,
                [
                    "{,|.|?|:} {just|only|nothing but} {the word|that word|the word itself|the value|one word}{ please|}",
                    "{.|,|?} {answer with|reply with|say} {only the word|just the word|one word|only that|nothing else}",
                ],
            )
        elif rng.random() < 0.06:
            asked = f"{pick(rng, FILLERS)}. {asked}"
        return Turn(
            finish(rng, asked, question=True),
            answer,
            f"The user asks for {self.noun}. Earlier I was told: {lower_first(self.statement)}.",
            "ask",
        )

    def ask_untold(self, rng: Random) -> Turn:
        asked = finish(rng, pick(rng, self.asks, self.slots), question=True)
        answer = f"You have not told me {self.noun} yet."
        if rng.random() < 0.3:
            answer += " " + expand(rng, "{Tell me, and I will remember it|What is it}.")
            answer = answer.replace("What is it.", "What is it?")
        thought = f"The user asks for {self.noun}. I look back: nobody told me in this chat."
        return Turn(asked, answer, thought, "untold")

    def correct(self, rng: Random, value: str, just_told: bool) -> Turn:
        """Return a correction. A bare "it is" refers to the last thing told."""
        self.statement = self.statement.replace(self.value, value)
        self.value = value
        users = self.typed_noun or self.noun.replace("your ", "my ", 1)
        phrases = CORRECTIONS if just_told else CORRECTIONS[1:]
        said = pick(rng, phrases, {"v": value}).replace("<n>", users)
        answer = fill(rng, rng.choice(ACKS), self.statement)
        thought = f"A correction. New: {lower_first(self.statement)}."
        return Turn(finish(rng, said), answer, thought, "correct")

    def _as_user(self) -> str:
        swapped = self.statement.replace("Your ", "my ").replace("You are ", "i am ")
        swapped = swapped.replace("You ", "i ").replace(" your ", " my ").replace("The ", "the ", 1)
        return swapped.replace(self.value, keep(self.value))

    def _note(self) -> str:
        return f"The user tells me something to remember: {lower_first(self.statement)}."


def fill(rng: Random, ack: str, statement: str) -> str:
    return expand(rng, ack).replace("<S>", statement)


def lower_first(text: str) -> str:
    return text[0].lower() + text[1:]


def finish(rng: Random, text: str, question: bool = False) -> str:
    """Return a variation: other words, politeness, punctuation, and typing noise."""
    text = reworded(rng, text) or text
    if rng.random() < 0.10:
        text = (
            rng.choice(("please ", "hey, ", "ok, ", "hi, ", "so ", "now ", "well, ", "hm, ")) + text
        )
    if rng.random() < 0.06:
        text += rng.choice((", please", ", thanks", " thanks", " please", ", ok", ", thank you"))
    if text[-1] not in ".?!:":
        text += "?" if question else rng.choice((".", ".", ".", "", "!"))
    return typed(rng, text[0].upper() + text[1:])


def code_item(rng: Random) -> Item:
    noun = rng.choice(CODE_NAMES)
    value = words.secret(rng)
    return Item(
        f"the {noun}", value, f"The {noun} is {value}", CODE_TELLS, CODE_ASKS, {"k": noun},
        only_asks=True,
    )  # fmt: skip


def name_item(rng: Random) -> Item:
    value = words.person(rng)
    if rng.random() < 0.15:
        value = value.lower()
    return Item("your name", value, f"Your name is {value}", NAME_TELLS, NAME_ASKS)


FAVOURITES: dict[str, Sequence[str]] = {
    "animal": words.ANIMALS, "fruit": words.FRUITS, "vegetable": words.VEGETABLES,
    "colour": words.COLOURS, "color": words.COLOURS, "food": words.FOODS, "dish": words.FOODS,
    "drink": words.DRINKS, "city": words.CITIES, "instrument": words.INSTRUMENTS,
    "sport": words.SPORTS, "planet": words.PLANETS, "day": words.DAYS, "month": words.MONTHS,
    "season": words.SEASONS, "shape": words.SHAPES, "tree": words.TREES, "flower": words.FLOWERS,
    "bird": ["robin", "owl", "raven", "heron", "swan", "eagle", "finch", "sparrow"],
    "game": ["chess", "go", "tag", "poker", "bridge", "tetris", "checkers", "dominoes"],
    "meal": ["breakfast", "lunch", "dinner", "supper", "brunch"],
    "subject": ["history", "maths", "music", "art", "physics", "biology", "latin", "geography"],
    "language": ["Python", "French", "Latin", "Rust", "German", "Spanish", "Italian", "Welsh"],
    "weather": ["rain", "snow", "sun", "fog", "wind", "storm", "frost", "drizzle"],
}  # fmt: skip
OPEN_FAVOURITES = """book film movie song band singer place word toy smell hobby snack dessert
author poet composer holiday country river mountain car game show number team player website
ice cream flavour|cheese|artist|song title|metal|stone|tool|pet name|letter|restaurant|cafe
""".replace("ice cream flavour|", "ice-cream|").replace("|", " ").split()  # fmt: skip


def favourite_item(rng: Random) -> Item:
    if rng.random() < 0.6:
        thing = rng.choice(list(FAVOURITES))
        value = rng.choice(FAVOURITES[thing])
        if rng.random() < 0.2:
            value = words.secret(rng)
    else:
        thing = rng.choice(OPEN_FAVOURITES)
        value = words.digits(rng, 1, 3) if thing == "number" else words.secret(rng)
    favourite = rng.choice(("favourite", "favourite", "favorite", "favorite", "fav"))
    written = "favourite" if favourite == "fav" else favourite
    return Item(
        f"your {written} {thing}", value, f"Your {written} {thing} is {value}",
        FAVOURITE_TELLS, FAVOURITE_ASKS, {"k": thing, "f": favourite},
    )  # fmt: skip


def relation_item(rng: Random) -> Item:
    who = rng.choice(words.PETS + words.PEOPLE + ["boat", "car", "band", "team", "school", "company",
                     "project", "street", "house", "robot", "teddy", "bike", "village"])  # fmt: skip
    value = words.person(rng) if rng.random() < 0.7 else words.invented(rng).capitalize()
    tells = [
        f"my {who} is {{called|named}} <v>", f"my {who}'s name is <v>", f"the name of my {who} is <v>",
        f"i have a {who} {{called|named}} <v>", f"<v> is {{my {who}|the name of my {who}|my {who}'s name}}",
        f"{{remember|please remember|note|by the way|you know,|fun fact:}} {{that|}} my {who} is called <v>",
        f"we call {{my|our}} {who} <v>", f"i {{named|call}} my {who} <v>",
    ]  # fmt: skip
    asks = [
        f"what is my {who} {{called|named}}", f"what's my {who}'s name", f"what is the name of my {who}",
        f"{{do you remember|do you know|tell me|say|can you tell me|remind me of|what was}} {{my {who}'s name|the name of my {who}}}",
        f"how is my {who} called", f"my {who}'s name", f"what do i call my {who}", f"what name does my {who} have", f"and my {who}", f"what did i {{call|name}} my {who}", f"who is my {who}",
    ]  # fmt: skip
    return Item(
        f"the name of your {who}", value, f"Your {who} is called {value}", tells, asks,
        typed_noun=f"the name of my {who}",
    )  # fmt: skip


def plain_item(rng: Random) -> Item:
    """Return a statement of a special type, with its own questions."""
    day, month = rng.randint(1, 28), rng.choice(words.MONTHS)
    thing = rng.choice(words.OBJECTS)
    if rng.random() < 0.3:
        thing = f"{rng.choice(words.ADJECTIVES)} {thing}"
    pick_one = rng.choice
    makes: list[tuple[str, str, str, list[str]]] = [
        ("where you live", pick_one([*words.CITIES, words.invented(rng).capitalize()]), "You live in <v>",
         ["where do i live", "{which|what} {city|town|place} do i live in", "where is my home", "what did i say about where i live", "do you {know|remember} where i live"]),
        ("where you come from", pick_one(words.CITIES), "You come from <v>",
         ["where do i come from", "where am i from", "which place do i come from", "do you {know|remember} where i come from"]),
        ("your age", str(rng.randint(4, 99)), "You are <v> years old",
         ["how old am i", "what is my age", "do you {know|remember} {my age|how old i am}", "tell me my age", "my age"]),
        ("your work", pick_one(words.JOBS), "You work as a <v>",
         ["what {is my job|do i do|is my work|do i work as|is my profession}", "what do i do for {work|a living}", "do you {know|remember} {my job|what i do|what i work as}", "what job do i have"]),
        ("your birthday", f"{day} {month}" if rng.random() < 0.5 else f"{month} {day}", "Your birthday is on <v>",
         ["when is my birthday", "what day is my birthday", "when was i born", "do you {know|remember} {my birthday|when my birthday is}", "my birthday", "what is my birth date"]),
        ("your lucky number", words.digits(rng, 1, 3), "Your lucky number is <v>",
         ["what is my lucky number", "which number is my lucky {one|number}", "{tell me|do you know|do you remember|say} my lucky number", "my lucky number"]),
        (f"where the {thing} is", f"{pick_one(('under', 'behind', 'in', 'on', 'near'))} the {pick_one(words.OBJECTS)}", f"The {thing} is <v>",
         [f"where is the {thing}", f"where did i {{put|leave|hide}} the {thing}", f"where do i find the {thing}", f"do you {{remember|know}} where the {thing} is", f"where was the {thing}", f"i am looking for the {thing}"]),
        ("the meeting time", f"{rng.randint(1, 12)}" + pick_one((":30", ":15", ":45", " pm", " am", " o'clock")), "The meeting is at <v>",
         ["when is the meeting", "what time is {the|my} meeting", "at what time {is|do we have} the meeting", "when do we meet", "do you {know|remember} when the meeting is", "{tell me|say} the meeting time"]),
        ("where you parked", f"{pick_one(('level', 'spot', 'row', 'lot'))} {words.jumble(rng)}", "You parked in <v>",
         ["where did i park", "where is my car", "where have i parked", "do you {know|remember} where i parked", "which {spot|place} did i park in"]),
        ("your allergy", pick_one(words.FRUITS + words.FOODS + ["nuts", "milk", "pollen", "cats", "dust"]), "You are allergic to <v>",
         ["what am i allergic to", "what is my allergy", "do you {know|remember} {my allergy|what i am allergic to}", "which allergy do i have"]),
        ("what you play", pick_one(words.INSTRUMENTS), "You play the <v>",
         ["what do i play", "{which|what} instrument do i play", "do you {know|remember} what i play", "what instrument is mine"]),
        (f"the colour of your {thing}", pick_one(words.COLOURS), f"Your {thing} is <v>",
         [f"what colour is my {thing}", f"what is the colour of my {thing}", f"which color does my {thing} have", f"do you {{know|remember}} the colour of my {thing}", f"my {thing} is what colour"]),
        (f"the number of your {pick_one(('room', 'locker', 'seat', 'ticket', 'flight', 'bus', 'train', 'table', 'badge', 'order'))}", words.digits(rng, 1, 4) if rng.random() < 0.6 else words.jumble(rng), "", []),
        (f"what is in the {thing}", pick_one(words.OBJECTS + words.FRUITS), f"In the {thing} there is a <v>",
         [f"what is in the {thing}", f"what did i say is in the {thing}", f"do you {{know|remember}} what is in the {thing}", f"what is inside the {thing}"]),
        ("your plan for tomorrow", pick_one(("swimming", "hiking", "shopping", "to the dentist", "to the zoo", "fishing", "to work", "to the cinema", "to school", "home", "to Paris", "skating", "to the market", "dancing")), "You are going <v> tomorrow",
         ["what am i doing tomorrow", "where am i going tomorrow", "what are my plans for tomorrow", "what did i say about tomorrow", "what is my plan for tomorrow"]),
        ("your hobby", pick_one(("painting", "knitting", "gardening", "chess", "hiking", "cooking", "reading", "photography", "pottery", "origami", "astronomy", "juggling", "running", "sailing")), "Your hobby is <v>",
         ["what is my hobby", "what do i {like to do|do for fun|do in my free time}", "which hobby do i have", "do you {know|remember} my hobby"]),
    ]  # fmt: skip
    noun, value, statement, asks = pick_one(makes)
    if not statement:
        what = noun.rsplit(" ", 1)[1]
        noun, statement = f"your {what} number", f"Your {what} number is <v>"
        asks = [f"what is my {what} number", f"which {what} {{number|}} do i have", f"{{tell me|say|repeat|do you know|do you remember}} my {what} number", f"my {what} number", f"what was my {what} number again"]  # fmt: skip
    return Item(noun, value, statement.replace("<v>", value), PLAIN_TELLS, asks)


def list_item(rng: Random) -> Item:
    """Return several words to remember in order."""
    count = rng.randint(2, 5)
    what = rng.choice(("words", "words", "words", "things", "names", "numbers", "animals", "items"))
    source = {"names": words.NAMES, "animals": words.ANIMALS}.get(what, words.PLAIN_WORDS)
    if what == "numbers":
        values = [words.digits(rng, 1, 2) for _ in range(count)]
    else:
        values = rng.sample(list(source), count)
    value = ", ".join(values) if rng.random() < 0.6 else listed(values)
    number = rng.choice((words.UNITS[count], str(count), ""))
    tells = [
        f"{{remember|keep in mind|memorise|note|please remember|learn|store}} {{these|the|my|the following}} {number} {what}: <v>",
        f"{{here are|these are}} {{my|the|}} {number} {what} {{to remember|for you to remember|for later|}}: <v>",
        f"the {number} {what} are <v>", "my {list|shopping list} is: <v>",
    ]  # fmt: skip
    asks = [
        f"what {{were|are}} the {number} {what}", f"{{which|what}} {number} {what} did i {{give|tell}} you",
        f"{{repeat|say|tell me|recall|list|name|give me back}} the {number} {what}", f"do you {{remember|know}} the {number} {what}", f"the {number} {what} {{please|again|}}",
    ]  # fmt: skip
    return Item(
        f"the {what}", value, f"The {what} are {value}", tells, asks, only_asks=True,
        typed_noun=f"the {what}",
    )  # fmt: skip


MAKERS = (
    [code_item] * 14 + [name_item] * 4 + [favourite_item] * 6 + [relation_item] * 3
    + [plain_item] * 5 + [list_item] * 2
)  # fmt: skip


def some_item(rng: Random, taken: set[str]) -> Item:
    """Return an item whose noun was not used in this conversation."""
    while True:
        item = rng.choice(MAKERS)(rng)
        if item.noun not in taken and not (item.slots.get("k") in CODE_NAMES and "code" in taken):
            taken.add(item.noun)
            if item.slots.get("k") in CODE_NAMES:
                taken.add("code")
            return item


RECAPS = [
    "what do you {know|remember} about me", "{say|repeat|write down|give me} {all|everything} {i said|that i told you|i have let you know|you have heard from me}{ so far|}", "{and|so|now} what {all|} have you {noted|kept|heard} {about|of} me", "what have i told you{ so far|}", "{list|tell me|show me|repeat|sum up} {everything|all|what} {you remember|i told you|you know about me|i have told you}", "what {things|facts} {do you remember|did i tell you|have you noted}", "what do you remember{ so far| from this chat|}", "summarise what {i told you|you know about me}", "give me a list of what i told you",
]  # fmt: skip


def recap(rng: Random, items: Sequence[Item]) -> Turn:
    """Return a question for all things told, answered with a list."""
    asked = finish(rng, pick(rng, RECAPS), question=True)
    if not items:
        return Turn(asked, "Nothing yet. Tell me something, and I will remember it in this chat.",
                    "Nobody told me anything in this chat so far.", "recap")  # fmt: skip
    lines = "\n".join(f"- {lower_first(item.statement)}" for item in items)
    return Turn(asked, f"You told me:\n\n{lines}", "I list what I was told, in order.", "recap")


def both(rng: Random, one: Item, other: Item) -> Turn:
    noun = [item.typed_noun or item.noun.replace("your ", "my ", 1) for item in (one, other)]
    asked = expand(
        rng, "{what are|tell me|say|give me|do you remember|what were|repeat|i need} <a> and <b>"
    )
    asked = asked.replace("<a>", noun[0]).replace("<b>", noun[1])
    answer = f"{one.statement}, and {lower_first(other.statement)}."
    return Turn(finish(rng, asked, question=True), answer, "Two things are asked.", "ask")


def quote_back(rng: Random, earlier: Sequence[Turn]) -> Turn:
    if rng.random() < 0.6:
        asked = pick(rng, ["what {did i just say|was my last message|did i say last|was the last thing i said|did i just write|did i just ask|was my last question|was my previous message}", "{repeat|quote} my last message"])  # fmt: skip
        answer = f"Your last message was: {earlier[-1].user}"
    else:
        asked = pick(rng, ["what was {the first thing i said|my first message|my first question}", "what did i {say|ask|write} first", "how did {this chat|i} begin"])  # fmt: skip
        answer = f"Your first message was: {earlier[0].user}"
    return Turn(finish(rng, asked, question=True), answer, "I look it up in this chat.", "quote")


def echo(rng: Random) -> Turn:
    """Return a request to repeat something, the simplest exercise in looking back."""
    count = rng.choice((1, 1, 2, 3, 4, 5, 6, 8, 12))
    said = rng.choice((" ", " ", ", ")).join(words.secret(rng) for _ in range(count))
    asked = pick(rng, ["{repeat|repeat after me|say|say after me|write|echo|type|print|say exactly|copy this|repeat this|say this back}{:|} <v>", "{can|could|will} you {say|repeat|write} <v>", "{just|only} {say|answer|reply|write} <v>{ and nothing else|}", "{repeat|write|say} the {word|words|phrase|following}{:|} <v>", "{reply|answer|respond} with{ only|} <v>"], {"v": said})  # fmt: skip
    return Turn(typed(rng, asked), said, f"I am asked to say: {said}", "echo")
