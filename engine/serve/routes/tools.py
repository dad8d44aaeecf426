"""Conversion of OpenAI clients' tools to functions for the model, and of calls to the client's
format.

Besides functions, this supports namespaces, custom tools with text input (optionally with a
grammar), and the client's own search for further tools. For tools that run on OpenAI's servers,
the model gets a note that they are unavailable.
"""

from __future__ import annotations

import json
import logging
import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple

from msgspec import Struct, field
from pydantic import WithJsonSchema

from engine.messages import Message
from engine.model.info import Model
from engine.params import SamplingParams
from engine.serve.routes.schema import JSON, Function, ignore, log_once, object_schema, validate
from engine.text import lark
from engine.text.call_notations import NOTATIONS
from engine.text.tool_grammars import check
from engine.text.tools import CHOICES, quote

log = logging.getLogger(__name__)

INPUT = "input"  # the only argument of a function for a custom tool
SEARCH = "tool_search"
_HOSTED = re.compile(r"[a-z][a-z0-9_.-]{0,63}")
_TOOL_FIELDS = {"type", "function", "strict", "cache_control", "defer_loading"}
_MAX_NAMED = 20  # maximum number of omitted tools listed by name

Kind = Literal["function", "custom", "search"]

_TEXT: JSON = {"type": "string"}
ToolChoice = Annotated[
    Any,
    WithJsonSchema(
        {
            "anyOf": [
                {"enum": ["auto", "none", "required"]},
                object_schema(type={"const": "function"}, function={"type": "object"}),
                object_schema(type={"enum": ["function", "custom"]}, name=_TEXT),
                object_schema(type={"const": "allowed_tools"}),
            ]
        }
    ),
]
FunctionChoice = Annotated[
    Any, WithJsonSchema({"anyOf": [{"enum": ["auto", "none"]}, object_schema(name=_TEXT)]})
]
"""Function choice from OpenAI's older function API."""


class ClientTool(NamedTuple):
    kind: Kind
    name: str
    namespace: str = ""


class Toolbox(Struct):
    # Functions for the model by name, in OpenAI's chat format.
    functions: dict[str, JSON] = field(default_factory=dict)
    # The client's descriptions by the same names.
    given: dict[str, ClientTool] = field(default_factory=dict)
    absent: list[str] = field(default_factory=list)  # unsupported tool types
    # Regex for a custom tool's input, by function name.
    patterns: dict[str, str] = field(default_factory=dict)
    # Functions that are described at the point in the conversation where a search found them.
    later: set[str] = field(default_factory=set)
    _now: set[str] = field(default_factory=set)  # names in the current list

    def find(self, tools: Iterable[Any], location: str) -> None:
        """Add tools that a search found. They are described at that point of the conversation."""
        before = set(self.given)
        self.add(tools, location)
        self.later |= set(self.given) - before

    def add(self, tools: Iterable[Any], location: str = "tools", namespace: str = "") -> None:
        """Add tools in either format. A tool replaces an earlier tool with the same name.

        Raises:
            ValueError: if a tool is invalid, or two tools in this list have the same name.
        """
        if not namespace:
            self._now.clear()
        for number, tool in enumerate(tools):
            self._add(tool, f"{location}[{number}]", namespace)

    def add_functions(self, functions: Iterable[Any]) -> None:
        self._now.clear()
        for number, function in enumerate(functions):
            function_fields = _checked(function, f"functions[{number}].")
            self._put(ClientTool("function", function_fields["name"]), function_fields)

    def _add(self, tool: Any, location: str, namespace: str) -> None:
        kind = tool.get("type") if isinstance(tool, Mapping) else None
        if kind is None or not isinstance(kind, str) or not _HOSTED.fullmatch(kind):
            raise ValueError(f"{location} must be a tool with a type, not {quote(tool)}")
        if kind == "function":
            fields = _checked(tool.get("function", tool), f"{location}.")
            for name in tool.keys() - _TOOL_FIELDS if "function" in tool else ():
                ignore(f"tools[].{name}")
            self._put(ClientTool("function", fields["name"], namespace), fields)
        elif kind == "custom":
            fields, pattern = _custom(tool.get("custom", tool), location)
            self._put(ClientTool("custom", fields["name"], namespace), fields)
            if pattern is not None:
                self.patterns[function_name(fields["name"], namespace)] = pattern
        elif kind == "namespace" and not namespace:
            inner = tool.get("tools")
            if not isinstance(tool.get("name"), str) or not isinstance(inner, list):
                raise ValueError(f"{location} must be a namespace with a name and tools")
            self.add(inner, f"{location}.tools", tool["name"])
        elif kind == SEARCH and tool.get("execution") == "client":
            fields = _checked({**tool, "name": SEARCH}, f"{location}.")
            self._put(ClientTool("search", SEARCH), fields)
        elif kind not in self.absent:
            log_once("left out tools that only OpenAI's servers have, and told the model")
            ignore(f"tools[{kind}]")
            self.absent.append(kind)

    def _put(self, tool: ClientTool, fields: JSON) -> None:
        name = function_name(tool.name, tool.namespace)
        if name in self._now:
            raise ValueError(f"tools must have unique names, but {quote(name)} occurs twice")
        self._now.add(name)
        self.given[name] = tool
        self.functions[name] = {"type": "function", "function": {**fields, "name": name}}

    def note(self) -> str:
        return absent_note(self.absent)

    def settings(self, model: Model, choice: Any, several: bool) -> dict[str, Any]:
        choice = (
            {"": "auto", "any": "required"}.get(choice, choice)
            if isinstance(choice, str)
            else choice
        )
        functions, mode = list(self.functions.values()), choice
        if isinstance(choice, dict) and choice.get("type") == "allowed_tools":
            inner = choice.get("allowed_tools", choice)
            allowed_tools = inner.get("tools") if isinstance(inner, dict) else None
            if not isinstance(allowed_tools, list):
                raise ValueError("tool_choice.tools must be a list")
            allowed_names = {self._named(tool) for tool in allowed_tools}
            functions = [f for f in functions if f["function"]["name"] in allowed_names]
            mode = inner.get("mode", "auto")
        elif isinstance(choice, dict):
            mode = self._named(choice)
        elif choice not in CHOICES:
            raise ValueError(
                f"tool_choice can be auto, none, required or name a tool, not {quote(choice)}"
            )
        if mode == "none" or (mode == "auto" and not functions):
            return {}
        functions = [self._with_pattern(tool, model) for tool in functions]
        return tool_parameters(model, functions, mode, several)

    def _with_pattern(self, function: JSON, model: Model) -> JSON:
        fields = function["function"]
        pattern = self.patterns.get(fields["name"])
        if pattern is None or model.tool_format not in NOTATIONS:
            return function
        argument = {"type": "string", "pattern": f"^(?:{pattern})$"}
        parameters = {**fields["parameters"], "properties": {INPUT: argument}}
        return {**function, "function": {**fields, "parameters": parameters, "strict": True}}

    def _named(self, choice: Any) -> str:
        kind = choice.get("type") if isinstance(choice, dict) else None
        if kind == SEARCH and SEARCH in self.given:
            return SEARCH
        inner = choice.get(kind, choice) if kind in ("function", "custom") else None
        name = inner.get("name") if isinstance(inner, dict) else None
        if not isinstance(name, str):
            raise ValueError(f"tool_choice can only name a function, not {quote(choice)}")
        space = inner.get("namespace") if isinstance(inner, dict) else None
        return function_name(name, space if isinstance(space, str) else "")


def function_name(name: str, namespace: str | None) -> str:
    return f"{namespace}.{name}" if namespace else name


def tool_parameters(model: Model, tools: list[JSON], choice: str, several: bool) -> dict[str, Any]:
    """Return the sampling parameters for calling these functions.

    Args:
        choice: "auto", "none", "required", or a tool name.
    """
    params = SamplingParams(tools=tools, tool_choice=choice, parallel_tool_calls=several)
    check(params, model.tool_format, model.name)
    names = ("tools", "tool_choice", "parallel_tool_calls")
    return {name: getattr(params, name) for name in names} if params.tools else {}


def custom_input(arguments: str) -> str:
    fields = json.loads(arguments)
    text = fields.get(INPUT)
    if isinstance(text, str):
        return text
    texts = list(fields.values())
    return texts[0] if len(texts) == 1 and isinstance(texts[0], str) else arguments


def with_head(template: JSON, params: SamplingParams, later: set[str]) -> JSON:
    head = [tool for tool in params.offered if tool["function"]["name"] not in later]
    return {**template, "tools": head} if params.offered else template


def absent_note(names: Sequence[str]) -> str:
    name_list = ", ".join(names[:_MAX_NAMED])
    return f"These tools are not available here, so do without them: {name_list}." if names else ""


def with_note(messages: list[Message], note: str) -> list[Message]:
    if not note:
        return messages
    if messages and messages[0]["role"] == "system":
        content = f"{messages[0]['content']}\n\n{note}".lstrip()
        return [{**messages[0], "content": content}, *messages[1:]]
    return [{"role": "system", "content": note}, *messages]


def _checked(fields: Any, location: str) -> JSON:
    try:
        function = validate(Function, fields, "tools[].")
    except ValueError as error:
        raise ValueError(f"{location}{error}") from None
    names = {"name", "description", "parameters", "strict"}
    return function.model_dump(exclude_unset=True, include=names)


def _custom(fields: Any, location: str) -> tuple[JSON, str | None]:
    if not isinstance(fields, Mapping) or not isinstance(fields.get("name"), str):
        raise ValueError(f"{location} must be a custom tool with a name")
    description, form = fields.get("description"), fields.get("format")
    if not isinstance(description, (str, type(None))):
        raise ValueError(f"{location}.description must be a text")
    explanation, pattern = description or "", None
    kind = form.get("type") if isinstance(form, Mapping) else None
    if isinstance(form, Mapping) and kind == "grammar":
        inner = form.get("grammar", form)
        inner = inner if isinstance(inner, Mapping) else {}
        syntax, definition = inner.get("syntax"), inner.get("definition")
        if syntax not in ("lark", "regex") or not isinstance(definition, str):
            raise ValueError(
                f"{location}.format must have a definition in the syntax lark or regex"
            )
        grammar_kind = "Lark grammar" if syntax == "lark" else "regular expression"
        try:
            pattern = (lark.convert_grammar if syntax == "lark" else lark.convert_expression)(
                definition
            )
        except ValueError as error:
            log.debug("the grammar of a custom tool %s", error)
            log_once("passed grammars of custom tools to the model as text")
        explanation += f"\n\n{INPUT} must match this {grammar_kind}:\n{definition}"
    elif form is not None and kind != "text":
        raise ValueError(f"{location}.format must be text or grammar, not {quote(form)}")
    properties = {INPUT: {"type": "string"}}
    parameters = {
        "type": "object",
        "properties": properties,
        "required": [INPUT],
        "additionalProperties": False,
    }
    explanation = explanation.strip()
    return {"name": fields["name"], "description": explanation, "parameters": parameters}, pattern


def call_item(tool: ClientTool, call_id: str, arguments: str, status: str = "completed") -> JSON:
    """Format a call as a responses item. `arguments` is "" if the call has only just started."""
    kinds = {"function": "fc", "custom": "ctc", "search": "tsc"}
    item: JSON = {"id": f"{kinds[tool.kind]}_{uuid.uuid4().hex}", "call_id": call_id}
    if tool.kind == "search":
        arguments_value = json.loads(arguments or "{}")
        item |= {"type": "tool_search_call", "execution": "client", "arguments": arguments_value}
    elif tool.kind == "custom":
        text = custom_input(arguments) if arguments else ""
        item |= {"type": "custom_tool_call", "name": tool.name, "input": text}
    else:
        item |= {"type": "function_call", "name": tool.name, "arguments": arguments}
    if tool.namespace:
        item["namespace"] = tool.namespace
    return {**item, "status": status}


def found_tools(tools: Sequence[Any]) -> str:
    box = Toolbox()
    box.add(tools)
    texts = [json.dumps(tool["function"], ensure_ascii=False) for tool in box.functions.values()]
    return "\n".join(["These tools can be called from now on:", *texts]) if texts else "No tools."
