"""Rendering of chat templates and tokenizing in a child, in one of two equivalent ways.

For most models, `tokenizers` and `jinja2` are enough. A model with Python code in transformers or
mlx-lm needs both, which take 70 MB and two seconds to import.

The template environment and message format are copied from
`transformers.utils.chat_template_utils` (5.23). `tests/engine/sandbox/test_confined.py` compares
the results for many templates.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
import zlib
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import jinja2
import jinja2.ext
from jinja2 import nodes
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment
from tokenizers import Tokenizer

from engine.text import import_structure, rendering
from engine.text.rendering import Apply, InProcess, LocalReader

_REASONING_KEYS = ("reasoning_content", "thinking", "reasoning")


class PlainTokenizer(LocalReader):
    """Tokenizer and chat template of a model without its own Python code."""

    def __init__(self, facts: dict[str, Any], packed: bytes) -> None:
        self.tokenizer = Tokenizer.from_str(zlib.decompress(packed).decode())
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        self.tokenizer.encode_special_tokens = facts["split_special_tokens"]
        sources = (facts["template"], facts.get("tools_template"))
        self._template, self._with_tools = (
            None if source is None else ChatTemplate(source, facts["special"]) for source in sources
        )
        self.bos = facts["bos"]

    def template(self, options: Mapping[str, Any]) -> Apply | None:
        chat_template = self._with_tools if options.get("tools") else None
        chat_template = chat_template or self._template
        return None if chat_template is None else chat_template.render

    def tokenize(self, text: str) -> list[int]:
        ids: list[int] = self.tokenizer.encode(text, add_special_tokens=False).ids
        return ids


def load_wrapper(folder: str, eos: list[int] | None, defaults: dict[str, Any] | None) -> Any:
    path = Path(folder)
    extra = rendering.template_arguments(path)
    wrapper = mlx_lm_tokenizers().load(path, extra, eos_token_ids=eos, defaults=defaults)
    rendering.add_default_template(wrapper)
    return wrapper


def load_reader(folder: str, eos: list[int] | None, defaults: dict[str, Any] | None) -> InProcess:
    return InProcess(load_wrapper(folder, eos, defaults))


def mlx_lm_tokenizers() -> Any:
    """Import `mlx_lm.tokenizer_utils`, but not the `mlx_lm` package, which would start MLX."""
    if "mlx_lm" not in sys.modules:
        spec = importlib.util.find_spec("mlx_lm")
        package = ModuleType("mlx_lm")
        package.__path__ = list((spec and spec.submodule_search_locations) or [])
        package.__spec__ = spec
        sys.modules["mlx_lm"] = package
    import_structure.prepare()
    return importlib.import_module("mlx_lm.tokenizer_utils")


def describe_tokenizer(wrapper: Any) -> tuple[dict[str, Any], bytes] | None:
    """Return the arguments for an equivalent `PlainTokenizer`, or None if there is none."""
    inner = wrapper._tokenizer
    backend = getattr(inner, "backend_tokenizer", None)
    if backend is None or wrapper._chat_template is not None:
        return None
    template = with_tools = None
    if wrapper.has_chat_template:
        try:
            template = inner.get_chat_template()
            if isinstance(inner.chat_template, dict):
                with_tools = inner.chat_template.get(rendering.TOOLS)
        except Exception:
            return None
    facts = {
        "template": template,
        "tools_template": with_tools,
        "special": dict(inner.special_tokens_map),
        "bos": getattr(wrapper, "bos_token", None) or "",
        "split_special_tokens": bool(getattr(inner, "split_special_tokens", False)),
    }
    try:
        text = backend.to_str()
        json.dumps(facts).encode()
    except Exception:
        return None
    return facts, zlib.compress(text.encode(), 1)


class ChatTemplate:
    """Chat template, compiled on first use, so that errors are reported for a message.

    Args:
        special: special tokens by name, as template variables.
    """

    def __init__(self, source: str, special: dict[str, str]) -> None:
        self._source, self._special = source, special
        self._compiled: jinja2.Template | None = None

    def render(self, messages: list[Any], opening: bool, options: dict[str, Any]) -> str:
        if self._compiled is None:
            self._compiled = _environment().from_string(self._source)
        return self._compiled.render(
            messages=[_template_message(message) for message in messages],
            add_generation_prompt=opening,
            **{"tools": None, "documents": None, **self._special, **options},
        )


def _template_message(message: dict[str, Any]) -> dict[str, Any]:
    fields = {name: value for name, value in message.items() if value is not None}
    reasoning = next((fields[name] for name in _REASONING_KEYS if name in fields), None)
    if reasoning is None:
        return fields
    return {"thinking": reasoning, **fields, "reasoning_content": reasoning}


def _environment() -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[_GenerationTag, jinja2.ext.loopcontrols]
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _raise_exception
    environment.globals["strftime_now"] = lambda format: datetime.now().strftime(format)
    environment.globals["dict"] = _SafeDict()
    environment.globals["namespace"] = _SafeNamespace
    return environment


class _GenerationTag(jinja2.ext.Extension):
    """`{% generation %}`, which marks the assistant's text for training and is ignored."""

    tags = {"generation"}  # noqa: RUF012 (as jinja2 declares it)

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("_render_body"), [], [], body).set_lineno(line)

    def _render_body(self, caller: Any) -> Any:
        return caller()


def _raise_exception(message: str) -> None:
    raise jinja2.exceptions.TemplateError(message)


def _to_json(
    x: Any,
    ensure_ascii: bool = False,
    indent: Any = None,
    separators: Any = None,
    sort_keys: bool = False,
) -> str:
    # jinja2's own filter escapes HTML.
    return json.dumps(
        x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


class _SafeDict:
    def __call__(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict(*args, **kwargs)

    def fromkeys(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict.fromkeys(*args, **kwargs)


class _SafeNamespace(jinja2.utils.Namespace):
    """`namespace` that rejects names with a leading underscore."""

    def __init__(*args: Any, **kwargs: Any) -> None:
        # As in Jinja, a keyword argument may be named `self`.
        self, positional = args[0], args[1:]
        names = dict(*positional, **kwargs)
        for name in names:
            _check_name(name)
        jinja2.utils.Namespace.__init__(self, names)

    def __setitem__(self, name: str, value: Any) -> None:
        _check_name(name)
        super().__setitem__(name, value)


def _check_name(name: object) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise jinja2.exceptions.SecurityError(
            "Chat templates cannot store underscore-prefixed attributes on a namespace, but got "
            f"{name!r}. Please rename the attribute."
        )
