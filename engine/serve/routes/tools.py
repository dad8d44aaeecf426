"""Conversion of the tools of OpenAI's clients to functions for the model, and of its calls back.

Apart from functions, there are tools in namespaces, custom tools with text as input (optionally
with a grammar), and the client's own search for more tools. Tools of OpenAI's servers are not
supported, and the model gets a note about them.
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
from engine.text.tools import CHOICES, quoted

log = logging.getLogger(__name__)

INPUT = "input"  # only argument of a custom tool's function
SEARCH = "tool_search"
_HOSTED = re.compile(r"[a-z][a-z0-9_.-]{0,63}")
_TOOL_FIELDS = {"type", "function", "strict", "cache_control", "defer_loading"}
_MAX_NAMED = 20  # omitted tools that are listed by name

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
"""Tool choice, in the shape of chat completions or responses."""
FunctionChoice = Annotated[
    Any, WithJsonSchema({"anyOf": [{"enum": ["auto", "none"]}, object_schema(name=_TEXT)]})
]
"""Function choice, in OpenAI's older form of chat completions."""


class ClientTool(NamedTuple):
    """A client's description of a tool: its kind, name and namespace."""

    kind: Kind
    name: str
    namespace: str = ""


class Toolbox(Struct):
    """Tools of one request."""

    # functions for the model in the shape of chat completions, by name
    functions: dict[str, JSON] = field(default_factory=dict)
    # the client's descriptions, by the same names
    given: dict[str, ClientTool] = field(default_factory=dict)
    absent: list[str] = field(default_factory=list)  # types of unsupported tools
    # regular expressions for the input of custom tools, by function name
    patterns: dict[str, str] = field(default_factory=dict)
    # names of functions described where they were found in the conversation
    later: set[str] = field(default_factory=set)
    _now: set[str] = field(default_factory=set)  # names in the current list

    def find(self, tools: Iterable[Any], where: str) -> None:
        """Add tools that a client has found during the conversation, and describe them there.

        Raises:
            ValueError: see `add`.
        """
        before = set(self.given)
        self.add(tools, where)
        self.later |= set(self.given) - before

    def add(self, tools: Iterable[Any], where: str = "tools", namespace: str = "") -> None:
        """Add tools of either shape. A tool replaces an earlier one of the same name.

        Raises:
            ValueError: if one is invalid, or two of these have the same name.
        """
        if not namespace:
            self._now.clear()
        for number, tool in enumerate(tools):
            self._add(tool, f"{where}[{number}]", namespace)

    def add_functions(self, functions: Iterable[Any]) -> None:
        """Add functions, OpenAI's older form of tools.

        Raises:
            ValueError: see `add`.
        """
        self._now.clear()
        for number, function in enumerate(functions):
            about = _checked(function, f"functions[{number}].")
            self._put(ClientTool("function", about["name"]), about)

    def _add(self, tool: Any, where: str, namespace: str) -> None:
        kind = tool.get("type") if isinstance(tool, Mapping) else None
        if kind is None or not isinstance(kind, str) or not _HOSTED.fullmatch(kind):
            raise ValueError(f"{where} must be a tool with a type, not {quoted(tool)}")
        if kind == "function":
            about = _checked(tool.get("function", tool), f"{where}.")
            for name in tool.keys() - _TOOL_FIELDS if "function" in tool else ():
                ignore(f"tools[].{name}")
            self._put(ClientTool("function", about["name"], namespace), about)
        elif kind == "custom":
            about, pattern = _custom(tool.get("custom", tool), where)
            self._put(ClientTool("custom", about["name"], namespace), about)
            if pattern is not None:
                self.patterns[function_name(about["name"], namespace)] = pattern
        elif kind == "namespace" and not namespace:
            inner = tool.get("tools")
            if not isinstance(tool.get("name"), str) or not isinstance(inner, list):
                raise ValueError(f"{where} must be a namespace with a name and tools")
            self.add(inner, f"{where}.tools", tool["name"])
        elif kind == SEARCH and tool.get("execution") == "client":
            about = _checked({**tool, "name": SEARCH}, f"{where}.")
            self._put(ClientTool("search", SEARCH), about)
        elif kind not in self.absent:
            log_once("tools that only OpenAI's own servers have are left out, and models told so")
            ignore(f"tools[{kind}]")
            self.absent.append(kind)

    def _put(self, given: ClientTool, about: JSON) -> None:
        name = function_name(given.name, given.namespace)
        if name in self._now:
            raise ValueError(f"tools must have names that differ, not twice {quoted(name)}")
        self._now.add(name)
        self.given[name] = given
        self.functions[name] = {"type": "function", "function": {**about, "name": name}}

    # -- for the model ----------------------------------------------------------------------

    def note(self) -> str:
        """Return a note to the model about unsupported tools, or ""."""
        if not self.absent:
            return ""
        named = ", ".join(self.absent[:_MAX_NAMED])
        return f"These tools are not available here, so do without them: {named}."

    def settings(self, model: Model, choice: Any, several: bool) -> dict[str, Any]:
        """Return the parameters for an answer that may call these tools, or {}.

        Raises:
            ValueError: if the model does not support them or the choice.
        """
        choice = (
            {"": "auto", "any": "required"}.get(choice, choice)
            if isinstance(choice, str)
            else choice
        )
        functions, wanted = list(self.functions.values()), choice
        if isinstance(choice, dict) and choice.get("type") == "allowed_tools":
            inner = choice.get("allowed_tools", choice)
            allowed = inner.get("tools") if isinstance(inner, dict) else None
            if not isinstance(allowed, list):
                raise ValueError("tool_choice.tools must be a list")
            kept = {self._named(one) for one in allowed}
            functions = [f for f in functions if f["function"]["name"] in kept]
            wanted = inner.get("mode", "auto")
        elif isinstance(choice, dict):
            wanted = self._named(choice)
        elif choice not in CHOICES:
            raise ValueError(
                f"tool_choice can be auto, none, required or name a tool, not {quoted(choice)}"
            )
        if wanted == "none" or (wanted == "auto" and not functions):
            return {}
        functions = [self._with_pattern(one, model) for one in functions]
        return tool_parameters(model, functions, wanted, several)

    def _with_pattern(self, function: JSON, model: Model) -> JSON:
        """Bind the text of a custom tool to its grammar if the model's calls support it."""
        about = function["function"]
        pattern = self.patterns.get(about["name"])
        if pattern is None or model.tool_format not in NOTATIONS:
            return function
        argument = {"type": "string", "pattern": f"^(?:{pattern})$"}
        parameters = {**about["parameters"], "properties": {INPUT: argument}}
        return {**function, "function": {**about, "parameters": parameters, "strict": True}}

    def _named(self, choice: Any) -> str:
        """Return the name of the function in a tool choice.

        Raises:
            ValueError: if it names none.
        """
        kind = choice.get("type") if isinstance(choice, dict) else None
        if kind == SEARCH and SEARCH in self.given:
            return SEARCH
        inner = choice.get(kind, choice) if kind in ("function", "custom") else None
        name = inner.get("name") if isinstance(inner, dict) else None
        if not isinstance(name, str):
            raise ValueError(f"tool_choice can only name a function here, not {quoted(choice)}")
        space = inner.get("namespace") if isinstance(inner, dict) else None
        return function_name(name, space if isinstance(space, str) else "")

    # -- for the client ---------------------------------------------------------------------

    def known(self, name: str) -> ClientTool:
        """Return the client's description of a tool by its function name."""
        return self.given.get(name) or ClientTool("function", name)


def function_name(name: str, namespace: str | None) -> str:
    """Return the function name of a tool in a namespace."""
    return f"{namespace}.{name}" if namespace else name


def tool_parameters(model: Model, tools: list[JSON], choice: str, several: bool) -> dict[str, Any]:
    """Return the parameters for an answer that may call these functions.

    Args:
        choice: "auto", "none", "required" or a tool's name.

    Raises:
        ValueError: if the model does not support them.
    """
    params = SamplingParams(tools=tools, tool_choice=choice, parallel_tool_calls=several)
    check(params, model.tool_format, model.name)
    names = ("tools", "tool_choice", "parallel_tool_calls")
    return {name: getattr(params, name) for name in names} if params.tools else {}


def custom_input(arguments: str) -> str:
    """Return the text input of a custom tool from the arguments of its function."""
    found = json.loads(arguments)
    given = found.get(INPUT)
    if isinstance(given, str):
        return given
    texts = list(found.values())
    return texts[0] if len(texts) == 1 and isinstance(texts[0], str) else arguments


def with_head(template: JSON, params: SamplingParams, later: set[str]) -> JSON:
    """Return template arguments with only the tools for the head of the prompt.

    Args:
        later: names of tools described where they were found.
    """
    head = [tool for tool in params.offered if tool["function"]["name"] not in later]
    return {**template, "tools": head} if params.offered else template


def with_note(messages: list[Message], note: str) -> list[Message]:
    """Append a note to the system message of a conversation."""
    if not note:
        return messages
    if messages and messages[0]["role"] == "system":
        said = f"{messages[0]['content']}\n\n{note}".lstrip()
        return [{**messages[0], "content": said}, *messages[1:]]
    return [{"role": "system", "content": note}, *messages]


def _checked(about: Any, where: str) -> JSON:
    """Validate a function, and return its name, description, parameters and strictness."""
    try:
        function = validate(Function, about, "tools[].")
    except ValueError as error:
        raise ValueError(f"{where}{error}") from None
    names = {"name", "description", "parameters", "strict"}
    return function.model_dump(exclude_unset=True, include=names)


def _custom(about: Any, where: str) -> tuple[JSON, str | None]:
    """Convert a custom tool to a function with one argument. Return it with its regular expression.

    Raises:
        ValueError: if it is invalid.
    """
    if not isinstance(about, Mapping) or not isinstance(about.get("name"), str):
        raise ValueError(f"{where} must be a custom tool with a name")
    description, form = about.get("description"), about.get("format")
    if not isinstance(description, (str, type(None))):
        raise ValueError(f"{where}.description must be a text")
    told, pattern = description or "", None
    kind = form.get("type") if isinstance(form, Mapping) else None
    if isinstance(form, Mapping) and kind == "grammar":
        inner = form.get("grammar", form)
        inner = inner if isinstance(inner, Mapping) else {}
        syntax, definition = inner.get("syntax"), inner.get("definition")
        if syntax not in ("lark", "regex") or not isinstance(definition, str):
            raise ValueError(f"{where}.format must have a definition in the syntax lark or regex")
        named = "Lark grammar" if syntax == "lark" else "regular expression"
        try:
            pattern = (lark.of_grammar if syntax == "lark" else lark.of_expression)(definition)
        except ValueError as error:
            log.debug("the grammar of a custom tool %s", error)
            log_once("grammars of custom tools that cannot bind calls are told to the model")
        told += f"\n\n{INPUT} must match this {named}:\n{definition}"
    elif form is not None and kind != "text":
        raise ValueError(f"{where}.format must be text or grammar, not {quoted(form)}")
    properties = {INPUT: {"type": "string"}}
    parameters = {
        "type": "object",
        "properties": properties,
        "required": [INPUT],
        "additionalProperties": False,
    }
    told = told.strip()
    return {"name": about["name"], "description": told, "parameters": parameters}, pattern


# -- items of responses ----------------------------------------------------------------------------


def call_item(given: ClientTool, call_id: str, arguments: str, status: str = "completed") -> JSON:
    """Return a call in the shape of responses. `arguments` is "" for one that just began."""
    kinds = {"function": "fc", "custom": "ctc", "search": "tsc"}
    item: JSON = {"id": f"{kinds[given.kind]}_{uuid.uuid4().hex}", "call_id": call_id}
    if given.kind == "search":
        found = json.loads(arguments or "{}")
        item |= {"type": "tool_search_call", "execution": "client", "arguments": found}
    elif given.kind == "custom":
        text = custom_input(arguments) if arguments else ""
        item |= {"type": "custom_tool_call", "name": given.name, "input": text}
    else:
        item |= {"type": "function_call", "name": given.name, "arguments": arguments}
    if given.namespace:
        item["namespace"] = given.namespace
    return {**item, "status": status}


def found_tools(tools: Sequence[Any]) -> str:
    """Return the descriptions of found tools for the model, with their function names."""
    box = Toolbox()
    box.add(tools)
    told = [json.dumps(one["function"], ensure_ascii=False) for one in box.functions.values()]
    return "\n".join(["These tools can be called from now on:", *told]) if told else "No tools."
