"""Templates that reject a message."""

from __future__ import annotations

import os
from typing import Any

import pytest

from engine.errors import EngineError
from engine.messages import Message
from engine.sandbox.prompts import ChatTemplate
from engine.text import rendering

SHOWN = "[{{ m.role }}:{{ m.content }}]"

SYSTEM_FIRST = (
    "{% for m in messages %}{% if m.role == 'system' and not loop.first %}"
    "{{ raise_exception('System message must be at the beginning.') }}{% endif %}"
    + SHOWN
    + "{% endfor %}{% if add_generation_prompt %}[assistant:{% endif %}"
)
TURNS = (
    "{% if messages[0].role == 'system' %}{% set rest = messages[1:] %}[system:"
    "{{ messages[0].content }}]{% else %}{% set rest = messages %}{% endif %}"
    "{% for m in rest %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate') }}{% endif %}" + SHOWN + "{% endfor %}"
)
GEMMA = (
    "{% if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}"
    "{% endif %}{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate') }}{% endif %}" + SHOWN + "{% endfor %}"
)
MISTRAL = (
    "{% set ns = namespace(index=0) %}{% for m in messages %}"
    "{% if m.role == 'system' and not loop.first %}"
    "{{ raise_exception('Only user and assistant roles are supported') }}{% endif %}"
    "{% if m.role in ('user', 'assistant') and not m.tool_calls %}"
    "{% if (m.role == 'user') != (ns.index % 2 == 0) %}{{ raise_exception('must alternate') }}"
    "{% endif %}{% set ns.index = ns.index + 1 %}{% endif %}"
    "{% for c in m.tool_calls or [] %}{% if c.id is not defined or c.id | length != 9 %}"
    "{{ raise_exception('Tool call IDs should be alphanumeric strings with length 9!') }}"
    "{% endif %}{{ '<' + c.function.name + c.id + '>' }}{% endfor %}"
    "{% if m.role == 'tool' %}{% if m.tool_call_id | length != 9 %}"
    "{{ raise_exception('Tool call IDs should be alphanumeric strings with length 9!') }}"
    "{% endif %}{{ '(' + m.tool_call_id + m.content + ')' }}{% elif not m.tool_calls %}"
    + SHOWN
    + "{% endif %}{% endfor %}"
)
LLAMA = (
    "{% for m in messages %}{% if m.tool_calls %}{% if m.tool_calls | length != 1 %}"
    "{{ raise_exception('This model only supports single tool-calls at once!') }}{% endif %}"
    "[call:{{ m.tool_calls[0].function.name }}]{% else %}" + SHOWN + "{% endif %}{% endfor %}"
)
NO_TOOLS = (
    "{% for m in messages %}{% if m.role not in ('system', 'user', 'assistant') %}"
    "{{ raise_exception('Unknown role: ' + m.role) }}{% endif %}" + SHOWN + "{% endfor %}"
)
FULL = (
    "{% for m in messages %}{% if not m.content %}{{ raise_exception('empty content') }}{% endif %}"
    + SHOWN
    + "{% endfor %}"
)
DROPS = (
    "{% for m in messages %}{% if m.role != 'system' or loop.first %}"
    + SHOWN
    + "{% endif %}{% endfor %}"
)
LAST_WINS = (
    "{% set ns = namespace(system='') %}{% for m in messages if m.role == 'system' %}"
    "{% set ns.system = m.content %}{% endfor %}[system:{{ ns.system }}]"
    "{% for m in messages if m.role != 'system' %}" + SHOWN + "{% endfor %}"
)
SYSTEM_IN_LAST_USER = (  # like Mistral's v3 tokenizers
    "{% for m in messages if m.role != 'system' %}[{{ m.role }}:"
    "{% if loop.last and m.role == 'user' and messages[0].role == 'system' %}"
    "{{ messages[0].content }}\n\n{% endif %}{{ m.content }}"
    "{% for c in m.tool_calls or [] %}<{{ c.function | tojson }}>{% endfor %}]{% endfor %}"
)
SYSTEM_IN_FIRST_USER = (
    "{% if messages[0].role == 'system' %}{% set head = messages[0].content + ' ' %}"
    "{% set messages = messages[1:] %}{% endif %}{% for m in messages %}"
    "[{{ m.role }}:{{ head if loop.first }}{{ m.content }}]{% endfor %}"
)
TEXT_ONLY = (
    "{% for m in messages if m.role in ('system', 'user', 'assistant') %}" + SHOWN + "{% endfor %}"
)
FIRST_CALL_ONLY = (
    "{% for m in messages %}{% if m.tool_calls %}"
    "<{{ m.tool_calls[0].function.name }}:{{ m.tool_calls[0].function.arguments.x }}>"
    "{% else %}" + SHOWN + "{% endif %}{% endfor %}"
)
RAW_ARGUMENTS = (
    "{% for m in messages %}{% for c in m.tool_calls or [] %}<{{ c.function.name }}"
    "{% for k, v in c.function.arguments.items() %} {{ k }}={{ v }}{% endfor %}>{% endfor %}"
    "{% if not m.tool_calls %}" + SHOWN + "{% endif %}{% endfor %}"
)
CONCATENATES = (
    "{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate') }}{% endif %}"
    "{{ '[' + m.role + ':' + m.content + ']' }}{% endfor %}"
)
PARTS = (
    "{% for m in messages %}[{{ m.role }}:{% for part in m.content %}"
    "{{ raise_exception('no part') if part is string else part.text }}{% endfor %}]{% endfor %}"
)


def says(role: str, content: Any, **more: Any) -> Message:
    return {"role": role, "content": content, **more}


def call(name: str, key: str, **arguments: Any) -> dict[str, Any]:
    return {
        "id": key,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def rendered(template: str, messages: list[Message], opening: bool = False) -> str | EngineError:
    return rendering.render(ChatTemplate(template, {}).render, "", messages, None, opening)


HEAD = [says("system", "In French."), says("user", "First?"), says("assistant", "Un.")]


@pytest.mark.parametrize(
    ("template", "later"),
    [
        (SYSTEM_FIRST, "[user:It is noon.][user:Second?]"),
        (TURNS, "[user:It is noon.\n\nSecond?]"),
        (MISTRAL, "[user:It is noon.\n\nSecond?]"),
        (DROPS, "[user:It is noon.][user:Second?]"),
        (LAST_WINS, "[user:It is noon.][user:Second?]"),
    ],
    ids=["first only", "turns", "Mistral", "dropped", "last wins"],
)
def test_later_system_message_leaves_the_first_alone(template: str, later: str) -> None:
    turn = [*HEAD, says("system", "It is noon."), says("user", "Second?")]
    before = rendered(template, HEAD)
    assert before == "[system:In French.][user:First?][assistant:Un.]"
    assert rendered(template, turn) == f"{before}{later}"


def test_second_system_message_at_the_head_joins_the_first() -> None:
    two = [says("system", "One."), says("system", "Two."), says("user", "Hm?")]
    assert rendered(SYSTEM_FIRST, two) == "[system:One.\n\nTwo.][user:Hm?]"


def test_every_turn_begins_with_the_turn_before() -> None:
    turns = list(HEAD)
    for number in range(4):
        before = rendered(TURNS, turns)
        assert isinstance(before, str)
        turns += [
            says("system", f"Note {number}."),
            says("system", f"More {number}."),
            says("user", f"Question {number}?"),
            says("user", "Please."),
            says("assistant", "Yes."),
            says("assistant", "And no."),
        ]
        after = rendered(TURNS, turns)
        assert isinstance(after, str)
        assert after.startswith(before.removesuffix("]"))
        assert after.startswith("[system:In French.]")
        assert after.count("Note") == after.count("More") == number + 1


def test_consecutive_roles_are_merged_if_refused() -> None:
    turn = [says("user", "a"), says("user", "b"), says("assistant", "c"), says("assistant", "d")]
    assert rendered(GEMMA, [says("system", "s"), *turn]) == "[user:s\n\na\n\nb][assistant:c\n\nd]"
    assert rendered(SYSTEM_FIRST, turn) == "[user:a][user:b][assistant:c][assistant:d]"


@pytest.mark.parametrize("head", [[], [says("system", "s")]])
def test_greeting_of_the_assistant_may_come_first(head: list[Message]) -> None:
    found = rendered(TURNS, [*head, says("assistant", "Hello!"), says("user", "Hi.")])
    assert isinstance(found, str)
    assert found.endswith("[user:][assistant:Hello!][user:Hi.]")
    assert ("[system:s]" in found) == bool(head)


TOOLS = [
    says("user", "Look."),
    says("assistant", "", tool_calls=[call("a", "call_1", x=1), call("b", "call_2", y="2")]),
    says("tool", "A!", tool_call_id="call_1"),
    says("tool", "B!", tool_call_id="call_2"),
]


def test_parallel_calls_are_split_if_refused() -> None:
    assert rendered(LLAMA, [*TOOLS, says("assistant", "So.")]) == (
        "[user:Look.][call:a][tool:A!][call:b][tool:B!][assistant:So.]"
    )


def test_refused_tool_role_becomes_a_user_message() -> None:
    assert rendered(NO_TOOLS, TOOLS) == (
        '[user:Look.][assistant:][user:Result of a({"x": 1}):\nA!]'
        '[user:Result of b({"y": "2"}):\nB!]'
    )
    assert rendered(NO_TOOLS, [*HEAD, says("developer", "Now.")]) == (
        "[system:In French.][user:First?][assistant:Un.][system:Now.]"
    )


TWO_CALLS = [
    says("user", "Look."),
    says("assistant", None, tool_calls=[call("a", "c1", x="one\nline"), call("b", "c2", x=True)]),
    says("tool", "Apple", tool_call_id="c1", name="a"),
    says("tool", "Berry", tool_call_id="c2", name="b"),
]


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        (
            TEXT_ONLY,
            '[user:Look.][assistant:a({"x": "one\\nline"})\n\nb({"x": true})]'
            "[user:Result of a:\nApple][user:Result of b:\nBerry]",
        ),
        (FIRST_CALL_ONLY, "[user:Look.]<a:one\nline>[tool:Apple]<b:True>[tool:Berry]"),
        (RAW_ARGUMENTS, "[user:Look.]<a x=one\nline><b x=True>[tool:Apple][tool:Berry]"),
        (
            GEMMA,
            '[user:Look.][assistant:][user:Result of a({"x": "one\\nline"}):\nApple\n\n'
            'Result of b({"x": true}):\nBerry]',
        ),
    ],
    ids=["text only", "first call only", "raw arguments", "tool role without a check"],
)
def test_dropped_calls_and_results_are_kept_as_text(template: str, expected: str) -> None:
    assert rendered(template, TWO_CALLS) == expected


def test_system_message_survives_a_tool_result_at_the_end() -> None:
    turn = [says("system", "In French."), *TWO_CALLS]
    text = rendered(SYSTEM_IN_LAST_USER, turn)
    assert isinstance(text, str)
    assert text.startswith("[user:In French.\n\nLook.][assistant:")
    assert text.endswith("[tool:Apple][tool:Berry]")


def test_lone_system_message_is_answered() -> None:
    alone = [says("system", "Greet me.")]
    assert rendered(SYSTEM_IN_FIRST_USER, alone, opening=True) == "[user:Greet me.]"


@pytest.mark.parametrize("head", [[], [says("system", "s")]])
def test_text_parts_are_joined_if_needed(head: list[Message]) -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    text = rendered(CONCATENATES, [*head, says("user", parts)])
    assert text == f"[user:{'s' if head else ''}{chr(10) * 2 * len(head)}ab]"


def test_replaced_ids_match_between_call_and_result() -> None:
    found = rendered(MISTRAL, [*TOOLS, says("user", "And now?")])
    assert isinstance(found, str)
    calls, results = found.split("<")[1:], found.split("(")[1:]
    assert [c[1:10] for c in calls] == [r[:9] for r in results]
    assert found.endswith("[assistant:][user:And now?]")


def test_empty_content_is_filled_if_refused() -> None:
    turn = [says("user", "a"), says("assistant", None), says("user", ""), says("assistant", "b")]
    assert rendered(FULL, turn) == "[user:a][assistant:…][user:…][assistant:b]"


def test_text_becomes_a_part_if_needed() -> None:
    assert rendered(PARTS, HEAD) == "[system:In French.][user:First?][assistant:Un.]"


def test_template_that_refuses_everything_gives_its_reason() -> None:
    failed = rendered("{{ raise_exception('no ' ~ messages | length) }}", HEAD * 20)
    assert isinstance(failed, EngineError)
    assert "no 60" in failed.message


def test_accepted_messages_are_rendered_once() -> None:
    times = []

    def apply(messages: list[Message], opening: bool, options: dict[str, Any]) -> str:
        times.append(len(messages))
        return os.sep.join(str(m["content"]) for m in messages)

    rendering.render(apply, "", HEAD, None, True)
    assert times == [3]


def test_long_conversation_is_adapted_in_few_renderings() -> None:
    times = []
    template = ChatTemplate(MISTRAL, {}).render

    def apply(messages: list[Message], opening: bool, options: dict[str, Any]) -> str:
        times.append(len(messages))
        return template(messages, opening, options)

    turn = [*TOOLS, says("assistant", "So."), says("system", "Note."), says("user", "More.")]
    turn += [says("assistant", "Yes.")]
    found = rendering.render(apply, "", turn * 100, None, True)
    assert isinstance(found, str)
    assert found.count("Note.\n\nMore.") == found.count("B!") == 100
    assert len(times) < 150
