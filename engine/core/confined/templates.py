"""Chat templates rendered as transformers renders them, without importing it.

The environment and what a template is shown are those of `transformers.utils.chat_template_utils`
(5.23); `tests/engine/test_confined.py` compares the two over many templates.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import jinja2
import jinja2.ext
from jinja2 import nodes
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

_REASONING = ("reasoning_content", "thinking", "reasoning")


class Template:
    """A template, compiled when it is first used: its faults are those of a message.

    Args:
        special: the special tokens by name, which templates may write.
    """

    def __init__(self, source: str, special: dict[str, str]) -> None:
        self._source, self._special = source, special
        self._compiled: jinja2.Template | None = None

    def render(self, messages: list[Any], opening: bool, options: dict[str, Any]) -> str:
        """The prompt's text; raises whatever the template raises."""
        if self._compiled is None:
            self._compiled = _environment().from_string(self._source)
        return self._compiled.render(
            messages=[_shown(message) for message in messages],
            add_generation_prompt=opening,
            **{"tools": None, "documents": None, **self._special, **options},
        )


def _shown(message: dict[str, Any]) -> dict[str, Any]:
    """A message as a template sees it."""
    known = {name: value for name, value in message.items() if value is not None}
    reasoning = next((known[name] for name in _REASONING if name in known), None)
    if reasoning is None:
        return known
    return {"thinking": reasoning, **known, "reasoning_content": reasoning}


def _environment() -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[_Generation, jinja2.ext.loopcontrols]
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _raise
    environment.globals["strftime_now"] = lambda format: datetime.now().strftime(format)
    environment.globals["dict"] = _Dict()
    environment.globals["namespace"] = _Namespace
    return environment


class _Generation(jinja2.ext.Extension):
    """`{% generation %}`, which marks in training what an assistant has said."""

    tags = {"generation"}  # noqa: RUF012 (as jinja2 declares it)

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("_say"), [], [], body).set_lineno(line)

    def _say(self, caller: Any) -> Any:
        return caller()


def _raise(message: str) -> None:
    raise jinja2.exceptions.TemplateError(message)


def _to_json(
    x: Any,
    ensure_ascii: bool = False,
    indent: Any = None,
    separators: Any = None,
    sort_keys: bool = False,
) -> str:
    # jinja2's own filter escapes for HTML.
    return json.dumps(
        x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


class _Dict:
    """`dict` without the attributes of a class."""

    def __call__(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict(*args, **kwargs)

    def fromkeys(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict.fromkeys(*args, **kwargs)


class _Namespace(jinja2.utils.Namespace):
    """`namespace` without names that lead to Python's own."""

    def __init__(*args: Any, **kwargs: Any) -> None:
        # As Jinja's: `self` may be among the names, too.
        self, given = args[0], args[1:]
        names = dict(*given, **kwargs)
        for name in names:
            _check(name)
        jinja2.utils.Namespace.__init__(self, names)

    def __setitem__(self, name: str, value: Any) -> None:
        _check(name)
        super().__setitem__(name, value)


def _check(name: object) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise jinja2.exceptions.SecurityError(
            "Chat templates cannot store underscore-prefixed attributes on a namespace, but got "
            f"{name!r}. Please rename the attribute."
        )
