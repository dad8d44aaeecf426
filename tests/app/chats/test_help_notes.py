"""Answers of the Guide from the help, and without it."""

from __future__ import annotations

from app.chats.help_notes import entry_for, format_note
from app.settings.paths import GUIDE
from app.ui.transcript.answer_row import AnswerRow
from tests.app.conftest import Run

WORDINGS = {
    "openai_key": ["where can i put my openai api key", "How do I add my OpenAI API key here?"],
    "remote_model": [
        "Can I use ChatGPT or Claude models in here?",
        "can i use claude here",
        "can I use ChatGPT",
        "how can i connect to openai",
        "can I use Gemini in this app?",
        "add a remote model",
        "can I use gpt models here",
    ],
    "memory": ["do you remember our earlier chats?", "Do you have a memory across conversations"],
    "list_files": ["please list my files", "can you see the files on my computer"],
    "web_search": ["can you search the internet", "Could you please do a web search?"],
    "images_generate": ["generate an image", "can you create an image"],
    "images_read": ["Can you look at a photo?", "can you see images"],
    "voice": ["is there voice mode", "Can I talk by voice to you?"],
    "download_model": ["how can I download models", "Where do I get more models"],
    "which_model": ["What's the best model for my laptop?", "recommend a model"],
    "memory_needed": [
        "how much memory do i need",
        "How much RAM does this need?",
        "how much memory does a model need?",
        "system requirements",
        "what are the hardware requirements",
        "is 8 GB enough?",
        "is 16 GB of RAM enough?",
    ],
    "gguf": ["can i load gguf files", "how to open gguf models"],
    "lm_studio_models": ["use LM Studio models", "Can I use the models of LM Studio?"],
    "ollama": ["does this work with ollama", "how to connect ollama"],
    "import_chatgpt": ["import chatgpt conversations", "how can i import my chats from ChatGPT"],
    "export": ["How can I export my chats?", "save the chat as pdf"],
    "privacy": [
        "is my data kept private?",
        "do you send data anywhere",
        "is my writing private?",
        "does it send anything",
        "are my messages private",
        "who can see my chats",
        "can anyone read my messages",
        "can anybody see my conversations",
        "can other people read my chats",
        "does someone read my messages",
        "can somebody see what I write",
        "who sees my conversations",
        "who has access to my chats",
        "does anyone have access to my messages",
        "who can access my data?",
    ],
    "offline": ["Does this app work offline?", "can I use it without the internet"],
    "cost": ["is stretto free", "how much does this cost"],
    "account": ["do i need to have an account?", "How can I log in?"],
    "system_prompt": ["How do I set a system prompt?", "change the system prompt"],
    "temperature": ["how can I set the temperature", "Where can I change the temperature?"],
    "context_length": ["how can i change the context length", "what's the context length"],
    "context_full": ["what happens if the context is full", "context is full"],
    "slow": ["why are you so slow", "how can I make this faster?"],
    "gpu": ["does stretto use the gpu", "Can I enable GPU acceleration?"],
    "windows": ["does this run on windows?", "is there a version for Windows"],
    "out_of_memory": ["out of memory", "The model doesn't fit in memory"],
    "api_server": ["how can I start the api server", "is there an OpenAI compatible API?"],
    "coding": ["How to use this with Claude Code?", "can I use this in VS Code"],
    "mcp": ["how can I add MCP servers", "is MCP supported?"],
    "run_code": ["can you run python code", "is there a code interpreter"],
    "attach": ["how can I upload PDFs?", "can i attach documents"],
    "regenerate": ["how can I regenerate the reply", "regenerate the answer"],
    "edit": ["how can I edit a message", "edit my previous prompt"],
    "stop": ["how can I stop a reply", "stop generating please"],
    "delete": ["How can I delete chats?", "delete all conversations"],
    "delete_model": ["how can I remove a model", "Delete models from disk", "uninstall a model"],
    "uninstall": [
        "how do i uninstall stretto",
        "How can I uninstall this app?",
        "uninstall",
        "remove stretto from this computer",
        "How do I delete the app?",
    ],
    "where_data": [
        "where are the chats stored",
        "where is the data saved?",
        "where are my chats saved and are they private",
        "are my chats private and where are they stored?",
    ],
    "sync": ["can i sync chats between my devices", "is there cloud sync for chats"],
    "side_by_side": ["how to get two chats side by side", "split the window"],
    "compare": ["How can I compare models?", "compare two models"],
    "switch_model": ["how can I change the model", "select a different model"],
    "thinking": ["How do I turn thinking off?", "disable the reasoning"],
    "json": ["can it output JSON", "is there structured output?"],
    "prompts": ["how can I save a prompt", "do you have a prompt library?"],
    "projects": ["are there folders for chats", "How can I organize chats?"],
    "search": ["how can I search in my chats", "find old conversations"],
    "score": ["what is the score", "what does the score show me?"],
    "theme": [
        "do you have a dark mode",
        "how can I change the font size",
        "make the text bigger",
        "the text is too small",
        "how can I make the text larger",
    ],
    "language": ["how can I change the app's language", "change the language of the interface"],
    "update": ["how can I update this", "are there new versions?"],
    "wrong_answers": ["why is your answer wrong", "why are you making things up"],
}
UNRELATED = """
hello
how are you?
What is the capital of Australia?
Write a poem about autumn
Give me a recipe for pancakes
Why is the sky blue?
Tell me a joke
my name is Anna
what's my name?
Translate good morning into French
how many letters has banana
sort these words: pear, apple, fig
what is 3 + 4
Explain photosynthesis
Who wrote Hamlet?
Plan a weekend in Paris
what day is it today
write a table of three rivers
tell me a long story
count to twenty
What is a black hole?
How do I bake bread?
Write a letter to my landlord
the code word is green falcon
what is the code word
how do I send a message
what is stretto
who are you
what does broadcast do
how do I rename a chat
what is the KV cache
Explain the seed
How far is the moon?
Is it going to rain tomorrow?
Write a haiku about the sea
What should I cook tonight?
How do windmills work?
Who painted the Mona Lisa?
How old is the universe?
Is coffee bad for my memory?
What is the best time to plant tomatoes?
My computer makes strange noises, what should I do?
What is the temperature on Mars?
Why do cats purr?
Which language is spoken in Brazil?
May two chats use two different models?
How much does a house in London cost?
How do I search for a job?
Where is my phone?
Is there a dark version of the window?
How do I write a private letter?
read my messages
can you send an email
does the moon send anything
does my phone send anything
does my printer send data
does the sun run locally
is my garden private
who can see the moon
can anyone read music
who can see in the dark
what was the score of the game
What is a good credit score?
how much does the moon weigh
how much sleep do I need?
how much memory does an elephant have
who is Claude Monet
tell me about Gemini the star sign
uninstall Windows
make a bigger table
who has access to the moon
how do I access my bank account
"""


def test_help_answers_other_wordings() -> None:
    for topic, questions in WORDINGS.items():
        found = [entry_for(question) for question in questions]
        assert [entry and entry.id for entry in found] == [f"help_{topic}"] * len(questions)


def test_help_leaves_other_questions_alone() -> None:
    questions = UNRELATED.split("\n")[1:-1]
    assert len(questions) == 72
    assert [q for q in questions if entry_for(q) is not None] == []


def test_help_leaves_long_questions_alone() -> None:
    assert entry_for("How do I export a chat?") is not None
    assert entry_for("How do I export a chat? " + "And the moon, what is it made of? " * 3) is None


def test_guide_is_answered_for_by_the_help(run: Run) -> None:
    run.pane.chat.model.set(GUIDE)
    entry = entry_for("Can you search the web?")
    assert run.ask("Can you search the web?") == format_note(entry)
    assert run.engine.sent == []
    last = run.pane.chat.transcript.last("assistant")
    assert (last.status, last.stats["help"]) == ("complete", entry.id)
    run.until(lambda: isinstance(run.pane.transcript.row(last.id), AnswerRow))
    row = run.pane.transcript.row(last.id)
    assert isinstance(row, AnswerRow)
    assert row.text == last.content
    run.ask("Say hello")
    assert len(run.engine.sent) == 1
