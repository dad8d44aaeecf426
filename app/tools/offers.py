"""Resources and prompts that servers provide for the user."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from app.settings.language import mark
from app.tools.tool import LONGEST, ToolError, clean, one_line, result_from_blocks

if TYPE_CHECKING:
    from mcp import Client

MOST = 500  # maximum per server, for both resources and prompts
MOST_ARGUMENTS = 20
_MOST_PAGES = 100  # a page may be empty, so limit their number as well
_LONGEST_NAME, _LONGEST_ABOUT = 120, 300


class Resource(Struct, frozen=True):
    """Text provided by a server. ``name`` and ``about`` have no control characters."""

    server: str
    uri: str
    name: str
    about: str = ""


class Argument(Struct, frozen=True):
    name: str
    title: str
    about: str = ""
    required: bool = False


class Prompt(Struct, frozen=True):
    """Prompt provided by a server. ``title`` and ``about`` have no control characters."""

    server: str
    name: str
    title: str
    about: str = ""
    arguments: tuple[Argument, ...] = ()


class Template(Struct, frozen=True):
    """Template for resources, with variables in its ``uri`` (RFC 6570).

    ``title`` and ``about`` have no control characters.
    """

    server: str
    uri: str
    title: str
    about: str = ""
    arguments: tuple[Argument, ...] = ()

    def fill_in(self, arguments: dict[str, str]) -> Resource:
        from mcp.shared.uri_template import UriTemplate

        values = {name: value for name, value in arguments.items() if value}
        uri = UriTemplate.parse(self.uri).expand(values)
        return Resource(self.server, uri, one_line(uri, _LONGEST_NAME), self.about)


class Offers(Struct, frozen=True):
    resources: tuple[Resource, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    templates: tuple[Template, ...] = ()


async def list_offers(server: str, client: Client) -> Offers:
    """Return the resources, prompts and templates of a server, if it supports them."""
    from mcp import MCPError

    can = client.server_capabilities
    resources: list[Any] = []
    prompts: list[Any] = []
    templates: list[Any] = []
    if can.resources is not None:
        await _pages(client.list_resources, "resources", resources)
        # Many servers support resources, but not templates.
        with suppress(MCPError):
            await _pages(client.list_resource_templates, "resource_templates", templates)
    if can.prompts is not None:
        await _pages(client.list_prompts, "prompts", prompts)
    return Offers(
        tuple(_resource(server, item) for item in resources[:MOST]),
        tuple(_prompt(server, item) for item in prompts[:MOST]),
        tuple(filter(None, (_template(server, item) for item in templates[:MOST]))),
    )


async def _pages(ask: Callable[..., Awaitable[Any]], kind: str, items: list[Any]) -> None:
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        page = await ask(cursor=cursor, cache_mode="bypass")
        items += getattr(page, kind)
        cursor = page.next_cursor
        if not cursor or len(items) >= MOST:
            break


async def read_resource(resource: Resource, client: Client) -> str:
    """Return a resource. Raises ToolError if it isn't text or is too long."""
    result = await client.read_resource(resource.uri, cache_mode="bypass")
    texts = [getattr(content, "text", None) for content in result.contents]
    valid_texts = [text for text in texts if isinstance(text, str)]
    if not valid_texts:
        raise ToolError(mark("“{name}” isn’t text."), name=resource.name)
    text = "\n\n".join(valid_texts)
    if len(text) > LONGEST:
        words = mark("“{name}” has {size} characters. The limit is {most}.")
        raise ToolError(words, name=resource.name, size=f"{len(text):,}", most=f"{LONGEST:,}")
    return clean(text)


async def fetch_prompt(prompt: Prompt, arguments: dict[str, str], client: Client) -> str:
    result = await client.get_prompt(prompt.name, arguments)
    blocks = [part.content.model_dump(by_alias=True, exclude_none=True) for part in result.messages]
    return result_from_blocks(blocks, None, False).text


def _resource(server: str, listed: Any) -> Resource:
    name = one_line(listed.title or listed.name or str(listed.uri), _LONGEST_NAME)
    return Resource(
        server, str(listed.uri), name, one_line(listed.description or "", _LONGEST_ABOUT)
    )


def _template(server: str, listed: Any) -> Template | None:
    from mcp.shared.uri_template import InvalidUriTemplate, UriTemplate

    try:
        parsed = UriTemplate.parse(listed.uri_template)
    except InvalidUriTemplate:
        return None
    optional = parsed.query_variable_names
    names = list(dict.fromkeys(parsed.variable_names))
    if not names or len(names) > MOST_ARGUMENTS:
        return None
    arguments = tuple(
        Argument(name, one_line(name, _LONGEST_NAME), "", name not in optional) for name in names
    )
    description = one_line(listed.description or "", _LONGEST_ABOUT)
    title = one_line(listed.title or listed.name or listed.uri_template, _LONGEST_NAME)
    return Template(server, listed.uri_template, title, description, arguments)


def _prompt(server: str, listed: Any) -> Prompt:
    arguments = [
        Argument(
            argument.name,
            one_line(argument.title or argument.name, _LONGEST_NAME),
            one_line(argument.description or "", _LONGEST_ABOUT),
            bool(argument.required),
        )
        for argument in (listed.arguments or [])[:MOST_ARGUMENTS]
    ]
    description = one_line(listed.description or "", _LONGEST_ABOUT)
    return Prompt(
        server,
        listed.name,
        one_line(listed.title or listed.name, _LONGEST_NAME),
        description,
        tuple(arguments),
    )
