"""`python -m engine serve MODEL …`: serve the HTTP API and manage its keys."""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import get_args

from engine.cli.arguments import GUIDE, add_draft, add_ranks, cache_dir, parse_ranks
from engine.engine import Engine
from engine.errors import EngineError
from engine.model import backend
from engine.serve.auth import Keys, Policy, Settings, default_file

STOP_TIMEOUT_S = 0.7  # timeout for stopping the engine, after which the process exits regardless

STOP_WITH_CACHES_TIMEOUT_S = 5.0  # same, if caches may have to be written first

STOP_RANKS_TIMEOUT_S = 15.0  # same, if other processes have to be stopped

_SAME_NAME_SETTINGS = (
    *("host", "sessions", "session_ttl", "at_once", "queue", "per_key", "per_minute"),
    *("connections", "unload_after"),
)
"""Settings that have the same name as their option."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "models",
        nargs="*",
        default=[str(GUIDE)],
        metavar="MODEL",
        help="model folder, GGUF file or hub id (default: the bundled model); the first is "
        "loaded now, the others when requested",
    )
    add(
        "--adapter",
        action="append",
        default=[],
        metavar="FOLDER",
        help="also serve the first MODEL with this adapter, as NAME+FOLDER (repeatable)",
    )
    add(
        "--alias",
        action="append",
        default=[],
        metavar="NAME=MODEL",
        help="other names for MODEL, such as claude-*=qwen3 (repeatable); by default the first "
        "MODEL also answers for claude-*, gpt-* and *-latest if no model has such a name",
    )
    add_draft(parser)
    add("--port", type=int, default=8080, help="port; 0 picks a free one (default: 8080)")
    add_ranks(parser)
    add("--quiet", action="store_true", help="print no line per request")
    add(
        "--for-a-program",
        action="store_true",
        help="print port and model as a line of JSON, and exit when standard input closes",
    )
    group = parser.add_argument_group("access")
    add = group.add_argument
    add("--host", default="127.0.0.1", help="address; others than this machine's need a key")
    add("--keys", type=Path, metavar="FILE", help="file of keys (default: in the profile)")
    add("--new-key", metavar="NAME", help="create a key, print it once, and exit")
    add("--revoke-key", metavar="NAME", help="revoke the keys with this name or id, and exit")
    add("--list-keys", action="store_true", help="list names and ids of keys, and exit")
    add(
        "--announce",
        action="store_true",
        help="announce the server on the local network, for other Strettos; requires --host",
    )
    add("--require-key", action="store_true", help="require a key on this machine too")
    add("--origin", action="append", default=[], help="web page that may send requests: https://…")
    group = parser.add_argument_group("conversation cache")
    add = group.add_argument
    add(
        "--cache",
        type=Path,
        default=cache_dir("serve"),
        metavar="FOLDER",
        help="folder for conversation caches, readable only by you (default: %(default)s)",
    )
    add(
        "--cache-gb",
        type=float,
        default=8.0,
        metavar="N",
        help="size limit of that folder; 0 disables it (default: %(default)g)",
    )
    add("--forget", action="store_true", help="empty that folder, and exit")
    group = parser.add_argument_group("limits")
    add, defaults = group.add_argument, Settings()
    for name, default, words in (
        ("--sessions", defaults.sessions, "open sessions with an id (default: %(default)s)"),
        ("--at-once", defaults.at_once, "concurrent replies (default: %(default)s)"),
        ("--queue", defaults.queue, "waiting requests (default: %(default)s)"),
        ("--per-key", 0, "concurrent replies per key (default: unlimited)"),
        ("--per-minute", 0, "requests per key and minute (default: unlimited)"),
        ("--connections", defaults.connections, "open connections (default: %(default)s)"),
    ):
        add(name, type=int, default=default, metavar="N", help=words)
    for name, seconds, words in (
        (
            "--session-ttl",
            defaults.session_ttl,
            "close sessions unused for this long (default: %(default)g)",
        ),
        ("--unload-after", 0.0, "unload models unused for this long (default: never)"),
    ):
        add(name, type=float, default=seconds, metavar="SECONDS", help=words)
    add(
        "--when-full",
        choices=get_args(Policy),
        default=defaults.policy,
        help="reject a new session, or evict the least recently used (default: %(default)s)",
    )
    add(
        "--share",
        action="append",
        default=[],
        metavar="NAME=PERCENT",
        help="share of time for a program or key while others have requests, such as "
        "'Claude Code=40' (repeatable; the others share the rest equally)",
    )


def main(options: argparse.Namespace) -> int:
    logging.basicConfig(
        level=logging.WARNING if options.quiet else logging.INFO, format="%(message)s"
    )
    backend.load_openblas()  # must run before the following imports of MLX
    try:
        if options.new_key or options.revoke_key or options.list_keys:
            return _manage_keys(options)
        cache = _cache_folder(options)
        if options.forget:
            return _forget_caches(cache)
        settings, ranks = _build_settings(options), parse_ranks(options)
        shares = dict(_parse_share(share) for share in options.share)
    except (ValueError, OSError) as error:
        print(f"serve: {error}", file=sys.stderr)
        return 2
    stop_requested = threading.Event()
    if options.for_a_program:
        threading.Thread(target=_wait_for_stdin_close, args=(stop_requested,), daemon=True).start()
    with _stop_on_signals(stop_requested):
        max_bytes = int(max(options.cache_gb, 0) * 10**9)
        ways = cache_dir("ways")
        engine = Engine(cache_dir=cache, cache_bytes=max_bytes, ranks=ranks, ways_dir=ways)
        status = 2
        try:
            status = _serve(engine, options, settings, shares, stop_requested, cache)
        except (EngineError, ValueError) as error:
            print(f"serve: {error}", file=sys.stderr)
        except OverflowError:
            print(f"serve: invalid port {options.port}. Use 0 to 65535.", file=sys.stderr)
        except OSError as error:
            print(
                f"serve: port {options.port}: {error.strerror or error}. Choose another "
                "with --port.",
                file=sys.stderr,
            )
        timeout_s = STOP_TIMEOUT_S if cache is None else STOP_WITH_CACHES_TIMEOUT_S
        _stop_engine(engine, status, timeout_s if ranks == 1 else STOP_RANKS_TIMEOUT_S)
    return status


def _build_settings(options: argparse.Namespace) -> Settings:
    """Return the server's settings."""
    local = Settings(host=options.host, require_key=True).is_local
    if options.announce and local:
        raise ValueError(
            f"{options.host} cannot be reached by other machines, so there is nothing to "
            "announce. Allow access with --host 0.0.0.0, for example."
        )
    requires_key = not local or options.require_key
    if requires_key and all(key.revoked for key in Keys(_key_file(options)).all()):
        location = "here" if local else f"at {options.host}, which other machines can reach"
        raise ValueError(f"a key is required {location}. Create one with --new-key NAME.")
    return Settings(
        require_key=requires_key,
        origins=tuple(options.origin),
        aliases=tuple(options.alias),
        policy=options.when_full,
        **{name: getattr(options, name) for name in _SAME_NAME_SETTINGS},
    )


def _key_file(options: argparse.Namespace) -> Path:
    return options.keys or default_file()


def _manage_keys(options: argparse.Namespace) -> int:
    keys = Keys(_key_file(options))
    if options.new_key:
        print(keys.make(options.new_key))
        print("This key is not shown again. The server now requires keys.", file=sys.stderr)
    elif options.revoke_key:
        count = keys.revoke(options.revoke_key)
        print(f"{count} keys revoked." if count != 1 else "1 key revoked.")
        return 0 if count else 1
    else:
        for key in keys.all():
            created = datetime.fromtimestamp(key.made).isoformat(" ", "minutes")
            print(f"{key.id}  {created}  {'revoked  ' if key.revoked else ''}{key.name}")
    return 0


def _parse_share(text: str) -> tuple[str, float]:
    name, _, share = text.rpartition("=")
    try:
        return name.strip(), float(share.strip().removesuffix("%"))
    except ValueError:
        raise ValueError(f"invalid share {text!r}; write 'Claude Code=40'") from None


def _cache_folder(options: argparse.Namespace) -> Path | None:
    """Return the folder for conversation caches, or None if they aren't kept.

    Raises:
        ValueError: if the folder has other files, because eviction would delete them.
    """
    from engine.cache.offload import CLIENT_PREFIX, client_files

    cache: Path | None = options.cache
    if cache is None or (options.cache_gb <= 0 and not options.forget):
        return None
    cache = cache.expanduser()
    client_folder = cache / CLIENT_PREFIX
    try:
        for folder in (cache, client_folder):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        strange = set(client_folder.glob("*.safetensors")) - set(client_files(cache))
    except OSError as error:
        if cache != cache_dir("serve"):
            raise
        # E.g. in a container with a read-only home folder.
        print(f"serve: {error}. Conversations are not kept after exit.", file=sys.stderr)
        return None
    if strange:
        raise ValueError(
            f"{client_folder} is not a conversation cache: it has {strange.pop().name}"
        )
    return cache


def _forget_caches(cache: Path | None) -> int:
    from engine.cache.offload import client_files

    files = [] if cache is None else client_files(cache)
    for file in files:
        file.unlink(missing_ok=True)
    print("Conversation caches deleted." if files else "No conversation caches.")
    return 0


def _serve(
    engine: Engine,
    options: argparse.Namespace,
    settings: Settings,
    shares: dict[str, float],
    stop_requested: threading.Event,
    cache: Path | None,
) -> int:
    loading = engine.load_later(options.models[0], draft=options.draft_model)
    woken = threading.Event()
    loading.add_done_callback(lambda _: woken.set())
    from engine.serve.server import Server  # imported while the model is loading

    while not woken.wait(0.05):
        if stop_requested.is_set():
            return 0
    model = loading.result()
    if stop_requested.is_set():
        return 0
    other_folders, keys = options.models[1:], Keys(_key_file(options))
    server = Server(
        engine,
        [model],
        options.port,
        settings=settings,
        folders=other_folders,
        keys=keys,
        keeps_caches=cache is not None,
    )
    for adapter in options.adapter:
        server.offer(model.path, adapter)
    with server:
        for target in server.served.aliases.values():
            server.served.entry(target)  # raises if the model doesn't exist
        server.share_out(shares)
        names = ", ".join(entry.name for entry in server.served.entries)
        if options.for_a_program:
            ready = {"port": server.port, "model": server.served.entries[0].name}
            print(json.dumps(ready | {"context": model.context_length}), flush=True)
            stop_requested.wait()
            return 0
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        key = ", with a key" if settings.require_key or keys.all() else ""
        print(f"{names} at http://{host}:{server.port}/v1{key} (Ctrl+C ends)", flush=True)
        with contextlib.ExitStack() as stack:
            if options.announce:
                _announce(stack, settings.host, server.port)
            stop_requested.wait()
    return 0


def _announce(stack: contextlib.ExitStack, host: str, port: int) -> None:
    from engine.serve.announcement import announce

    try:
        name = stack.enter_context(announce(host, port))
        print(f"announced on the local network as {name}", flush=True)
    except EngineError as error:
        print(f"serve: {error.message}", file=sys.stderr)


def _stop_engine(engine: Engine, status: int, timeout_s: float) -> None:
    engine.stop(timeout_s)
    if engine.is_running:
        logging.getLogger(__name__).warning("engine does not stop; exiting anyway")
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _wait_for_stdin_close(stop_requested: threading.Event) -> None:
    while os.read(0, 4096):
        pass
    stop_requested.set()


@contextlib.contextmanager
def _stop_on_signals(stop_requested: threading.Event) -> Iterator[None]:
    """Set the event on Ctrl+C or SIGTERM. A second signal exits immediately."""

    def stop(number: int, _: object) -> None:
        if stop_requested.is_set():
            os._exit(128 + number)
        stop_requested.set()

    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
