"""What servers offer the person besides tools: resources to attach, and prompts to begin with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from app.settings.language import mark
from app.tools.tool import LONGEST, ToolError, clean, from_blocks

if TYPE_CHECKING:
    from mcp import Client

MOST = 500  # resources, and prompts, of one server that are listed
MOST_ARGUMENTS = 20
_MOST_PAGES = 100  # of which each may hold nothing
_LONGEST_NAME, _LONGEST_ABOUT = 120, 300


class Resource(Struct, frozen=True):
    """A text that a server can give. ``name``, ``about``: without control characters."""

    server: str
    uri: str
    name: str
    about: str = ""


class Argument(Struct, frozen=True):
    """What a prompt, or a resource of a kind, is asked for with."""

    name: str
    title: str
    about: str = ""
    required: bool = False


class Prompt(Struct, frozen=True):
    """A prompt that a server writes. ``title``, ``about``: without control characters."""

    server: str
    name: str
    title: str
    about: str = ""
    arguments: tuple[Argument, ...] = ()


class Template(Struct, frozen=True):
    """Resources of one kind: ``uri`` names each by its arguments, as RFC 6570 writes it.

    ``title``, ``about``: without control characters.
    """

    server: str
    uri: str
    title: str
    about: str = ""
    arguments: tuple[Argument, ...] = ()

    def filled(self, arguments: dict[str, str]) -> Resource:
        """The resource that these arguments name."""
        from mcp.shared.uri_template import UriTemplate

        given = {name: value for name, value in arguments.items() if value}
        uri = UriTemplate.parse(self.uri).expand(given)
        return Resource(self.server, uri, _line(uri), self.about)


class Offers(Struct, frozen=True):
    """All that one server offers."""

    resources: tuple[Resource, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    templates: tuple[Template, ...] = ()


async def offers(server: str, client: Client) -> Offers:
    """What the server lists; nothing of a kind that it does not know."""
    from mcp import MCPError

    can = client.server_capabilities
    resources: list[Any] = []
    prompts: list[Any] = []
    templates: list[Any] = []
    if can.resources is not None:
        await _pages(client.list_resources, "resources", resources)
        # Many servers that have resources do not know this question.
        with suppress(MCPError):
            await _pages(client.list_resource_templates, "resource_templates", templates)
    if can.prompts is not None:
        await _pages(client.list_prompts, "prompts", prompts)
    return Offers(
        tuple(_resource(server, each) for each in resources[:MOST]),
        tuple(_prompt(server, each) for each in prompts[:MOST]),
        tuple(filter(None, (_template(server, each) for each in templates[:MOST]))),
    )


async def _pages(ask: Callable[..., Awaitable[Any]], kind: str, found: list[Any]) -> None:
    """Put what a server lists of one kind into `found`, as far as it is shown."""
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        page = await ask(cursor=cursor, cache_mode="bypass")
        found += getattr(page, kind)
        cursor = page.next_cursor
        if not cursor or len(found) >= MOST:
            break


async def read(resource: Resource, client: Client) -> str:
    """A resource's text. Raises ToolError for what is no text, or too long."""
    result = await client.read_resource(resource.uri, cache_mode="bypass")
    texts = [getattr(each, "text", None) for each in result.contents]
    found = [text for text in texts if isinstance(text, str)]
    if not found:
        raise ToolError(mark("“{name}” is not text."), name=resource.name)
    text = "\n\n".join(found)
    if len(text) > LONGEST:
        words = mark("“{name}” has {size} characters; the limit is {most}.")
        raise ToolError(words, name=resource.name, size=f"{len(text):,}", most=f"{LONGEST:,}")
    return clean(text)


async def written(prompt: Prompt, arguments: dict[str, str], client: Client) -> str:
    """A prompt's text, all of its messages one below the other."""
    result = await client.get_prompt(prompt.name, arguments)
    blocks = [each.content.model_dump(by_alias=True, exclude_none=True) for each in result.messages]
    return from_blocks(blocks, None, False).text


def _resource(server: str, told: Any) -> Resource:
    name = _line(told.title or told.name or told.uri)
    return Resource(server, str(told.uri), name, _line(told.description or "", _LONGEST_ABOUT))


def _template(server: str, told: Any) -> Template | None:
    """None for one that cannot be filled in."""
    from mcp.shared.uri_template import InvalidUriTemplate, UriTemplate

    try:
        parsed = UriTemplate.parse(told.uri_template)
    except InvalidUriTemplate:
        return None
    optional = parsed.query_variable_names
    names = list(dict.fromkeys(parsed.variable_names))
    if not names or len(names) > MOST_ARGUMENTS:
        return None
    arguments = tuple(Argument(name, _line(name), "", name not in optional) for name in names)
    about = _line(told.description or "", _LONGEST_ABOUT)
    title = _line(told.title or told.name or told.uri_template)
    return Template(server, told.uri_template, title, about, arguments)


def _prompt(server: str, told: Any) -> Prompt:
    arguments = [
        Argument(
            each.name,
            _line(each.title or each.name),
            _line(each.description or "", _LONGEST_ABOUT),
            bool(each.required),
        )
        for each in (told.arguments or [])[:MOST_ARGUMENTS]
    ]
    about = _line(told.description or "", _LONGEST_ABOUT)
    return Prompt(server, told.name, _line(told.title or told.name), about, tuple(arguments))


def _line(text: str, most: int = _LONGEST_NAME) -> str:
    return clean(str(text), lines=False, most=most)
