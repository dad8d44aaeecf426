"""`python -m engine serve MODEL …`: answers other programs over HTTP; makes their keys."""

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
from typing import Any, get_args

from engine.cli.arguments import GUIDE, add_draft, add_ranks, ranks_of, serve_cache_dir, ways_dir
from engine.engine import Engine
from engine.errors import EngineError
from engine.model import backend
from engine.serve.auth import Keys, Policy, Settings, standard_file

END_SECONDS = 0.7  # how long the engine may take to end in order before the process ends without it

END_WITH_CACHES = 5.0  # the same where it may have caches to write

END_OF_RANKS = 15.0  # the same where the engine has to end processes

_AS_GIVEN = (
    *("host", "sessions", "session_ttl", "at_once", "queue", "per_key", "per_minute"),
    *("connections", "unload_after"),
)
"""The settings that are options of the same name."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "models",
        nargs="*",
        default=[str(GUIDE)],
        metavar="MODEL",
        help="folder, GGUF file or hub id (Guide); the first is loaded now, the others when asked",
    )
    add(
        "--adapter",
        action="append",
        default=[],
        metavar="FOLDER",
        help="also serve the first MODEL with this adapter, as NAME+FOLDER (may be repeated)",
    )
    add(
        "--alias",
        action="append",
        default=[],
        metavar="NAME=MODEL",
        help="names that mean MODEL, as claude-*=qwen3 (may be repeated); else the first MODEL "
        "answers for claude-*, gpt-* and *-latest, if none is called so",
    )
    add_draft(parser)
    add("--port", type=int, default=8080, help="0 takes a free one (8080)")
    add_ranks(parser)
    add("--quiet", action="store_true", help="no line for each request")
    add(
        "--for-a-program",
        action="store_true",
        help="tell port and model as a line of JSON, and end when the standard input does",
    )
    group = parser.add_argument_group("who may ask")
    add = group.add_argument
    add("--host", default="127.0.0.1", help="others than this machine's own need a key")
    add("--keys", type=Path, metavar="FILE", help="where the keys lie (in the profile)")
    add("--new-key", metavar="NAME", help="make a key, show it once, and end")
    add("--revoke-key", metavar="NAME", help="revoke the keys of this name or id, and end")
    add("--list-keys", action="store_true", help="names and ids of the keys, and end")
    add(
        "--announce",
        action="store_true",
        help="tell the local network where it is, so that other Strettos find it; with --host",
    )
    add("--require-key", action="store_true", help="also on this machine, where none was made yet")
    add("--origin", action="append", default=[], help="a web page that may ask: https://…")
    group = parser.add_argument_group("after a restart")
    add = group.add_argument
    add(
        "--cache",
        type=Path,
        default=serve_cache_dir(),
        metavar="FOLDER",
        help="conversations are kept here, for you alone, and not read again (%(default)s)",
    )
    add("--cache-gb", type=float, default=8.0, metavar="N", help="at most (%(default)g); 0: none")
    add("--forget", action="store_true", help="empty that folder, and end")
    group = parser.add_argument_group("limits")
    add, usual = group.add_argument, Settings()
    add(
        "--sessions", type=int, default=usual.sessions, metavar="N", help="with an id (%(default)s)"
    )
    add(
        "--when-full",
        choices=get_args(Policy),
        default=usual.policy,
        help="refuse one more session, or evict the one idle longest (%(default)s)",
    )
    seconds: dict[str, Any] = {"type": float, "metavar": "SECONDS"}
    add(
        "--session-ttl", default=usual.session_ttl, help="free unused ones (%(default)g)", **seconds
    )
    add("--at-once", type=int, default=usual.at_once, metavar="N", help="answers (%(default)s)")
    add("--queue", type=int, default=usual.queue, metavar="N", help="that wait (%(default)s)")
    add("--per-key", type=int, default=0, metavar="N", help="answers of a key at once")
    add("--per-minute", type=int, default=0, metavar="N", help="requests of a key a minute")
    add("--connections", type=int, default=usual.connections, metavar="N", help="(%(default)s)")
    add(
        "--share",
        action="append",
        default=[],
        metavar="NAME=PERCENT",
        help="of the time for a program or key while others ask, too: 'Claude Code=40' "
        "(may be repeated; all others have equal parts of what is left)",
    )
    add("--unload-after", default=0.0, help="unload unused models", **seconds)


def main(options: argparse.Namespace) -> int:
    logging.basicConfig(
        level=logging.WARNING if options.quiet else logging.INFO, format="%(message)s"
    )
    backend.take_openblas()  # the folder of caches and the server import MLX
    try:
        if options.new_key or options.revoke_key or options.list_keys:
            return _keys(options)
        cache = _cache(options)
        if options.forget:
            return _forget(cache)
        settings, ranks = _settings(options), ranks_of(options)
        shares = dict(_share(given) for given in options.share)
    except (ValueError, OSError) as error:
        print(f"serve: {error}", file=sys.stderr)
        return 2
    wanted = threading.Event()
    if options.for_a_program:
        threading.Thread(target=_until_left, args=(wanted,), daemon=True).start()
    with _signals(wanted):
        most = int(max(options.cache_gb, 0) * 10**9)
        engine = Engine(cache_dir=cache, cache_bytes=most, ranks=ranks, ways_dir=ways_dir())
        status = 2
        try:
            status = _serve(engine, options, settings, shares, wanted, cache)
        except (EngineError, ValueError) as error:
            print(f"serve: {error}", file=sys.stderr)
        except OverflowError:
            print(f"serve: a port is 0 to 65535, not {options.port}", file=sys.stderr)
        except OSError as error:
            print(
                f"serve: port {options.port}: {error.strerror or error}. Name another by --port.",
                file=sys.stderr,
            )
        within = END_SECONDS if cache is None else END_WITH_CACHES
        _end(engine, status, within if ranks == 1 else END_OF_RANKS)
    return status


def _settings(options: argparse.Namespace) -> Settings:
    """The server's settings.

    Raises:
        ValueError: they do not go together, or a key is needed and there is none.
    """
    local = Settings(host=options.host, require_key=True).is_local
    if options.announce and local:
        raise ValueError(
            f"nobody else can reach {options.host}, so there is nothing to announce. Let other "
            "machines in as well, by --host 0.0.0.0 for instance."
        )
    needed = not local or options.require_key
    if needed and all(key.revoked for key in Keys(_key_file(options)).all()):
        where = "here" if local else f"at {options.host}, which other machines can reach"
        raise ValueError(f"a key is needed {where}. Make one by --new-key NAME.")
    return Settings(
        require_key=needed,
        origins=tuple(options.origin),
        aliases=tuple(options.alias),
        policy=options.when_full,
        **{name: getattr(options, name) for name in _AS_GIVEN},
    )


def _key_file(options: argparse.Namespace) -> Path:
    return options.keys or standard_file()


def _keys(options: argparse.Namespace) -> int:
    """Make, revoke or list keys."""
    keys = Keys(_key_file(options))
    if options.new_key:
        print(keys.make(options.new_key))
        print("This key is not shown again. The server asks for one from now on.", file=sys.stderr)
    elif options.revoke_key:
        count = keys.revoke(options.revoke_key)
        print(f"{count} keys were revoked." if count != 1 else "One key was revoked.")
        return 0 if count else 1
    else:
        for key in keys.all():
            made = datetime.fromtimestamp(key.made).isoformat(" ", "minutes")
            print(f"{key.id}  {made}  {'revoked  ' if key.revoked else ''}{key.name}")
    return 0


def _share(given: str) -> tuple[str, float]:
    """The program and the per cent of `NAME=PERCENT`.

    Raises:
        ValueError: they are none.
    """
    name, _, share = given.rpartition("=")
    try:
        return name.strip(), float(share.strip().removesuffix("%"))
    except ValueError:
        raise ValueError(f"a share is written as 'Claude Code=40', not {given!r}") from None


def _cache(options: argparse.Namespace) -> Path | None:
    """The folder for conversations; None where none are kept.

    Raises:
        ValueError: something else lies where they would, which would be removed to make room.
        OSError: a folder that was named cannot be used.
    """
    from engine.cache.offload import APART, kept_apart

    cache: Path | None = options.cache
    if cache is None or (options.cache_gb <= 0 and not options.forget):
        return None
    cache = cache.expanduser()
    there = cache / APART
    try:
        for folder in (cache, there):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        strange = set(there.glob("*.safetensors")) - set(kept_apart(cache))
    except OSError as error:
        if cache != serve_cache_dir():
            raise
        # As in a container whose home cannot be written to.
        print(f"serve: {error}. No conversation is kept beyond the end.", file=sys.stderr)
        return None
    if strange:
        raise ValueError(f"{there} is no folder of conversations: {strange.pop().name} lies there")
    return cache


def _forget(cache: Path | None) -> int:
    """Remove what is kept of conversations."""
    from engine.cache.offload import kept_apart

    files = [] if cache is None else kept_apart(cache)
    for file in files:
        file.unlink(missing_ok=True)
    print("Nothing is kept of any conversation." if files else "Nothing was kept.")
    return 0


def _serve(
    engine: Engine,
    options: argparse.Namespace,
    settings: Settings,
    shares: dict[str, float],
    wanted: threading.Event,
    cache: Path | None,
) -> int:
    """Answer until a signal comes."""
    loading = engine.load_later(options.models[0], draft=options.draft_model)
    woken = threading.Event()
    loading.add_done_callback(lambda _: woken.set())
    from engine.serve.server import Server  # meanwhile; other commands need no web server

    while not woken.wait(0.05):
        if wanted.is_set():
            return 0
    model = loading.result()
    if wanted.is_set():
        return 0
    others, keys = options.models[1:], Keys(_key_file(options))
    server = Server(
        engine,
        [model],
        options.port,
        settings=settings,
        folders=others,
        keys=keys,
        cache=cache,
    )
    for adapter in options.adapter:
        server.offer(model.path, adapter)
    with server:
        for meant in server.served.aliases.values():
            server.served.entry(meant)  # which says where there is none
        server.share_out(shares)
        names = ", ".join(entry.name for entry in server.served.entries)
        if options.for_a_program:
            told = {"port": server.port, "model": server.served.entries[0].name}
            print(json.dumps(told | {"context": model.context_length}), flush=True)
            wanted.wait()
            return 0
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        key = ", with a key" if settings.require_key or keys.all() else ""
        print(f"{names} at http://{host}:{server.port}/v1{key} (Ctrl+C ends)", flush=True)
        with contextlib.ExitStack() as stack:
            if options.announce:
                _announce(stack, settings.host, server.port)
            wanted.wait()
    return 0


def _announce(stack: contextlib.ExitStack, host: str, port: int) -> None:
    """Tell the network until the stack is left. The server answers also where that fails."""
    from engine.serve.announcing import announced

    try:
        name = stack.enter_context(announced(host, port))
        print(f"announced on the local network as {name}", flush=True)
    except EngineError as error:
        print(f"serve: {error.message}", file=sys.stderr)


def _end(engine: Engine, status: int, within: float) -> None:
    """Stop the engine. Something native that does not come back must not keep the process."""
    engine.stop(within)
    if engine.is_running:
        logging.getLogger(__name__).warning("the engine does not stop: ending without it")
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _until_left(wanted: threading.Event) -> None:
    """Wait until the program that has started this one closes its end, or has died."""
    while os.read(0, 4096):
        pass
    wanted.set()


@contextlib.contextmanager
def _signals(wanted: threading.Event) -> Iterator[None]:
    """Let Ctrl+C and SIGTERM set the event. A second one ends the process at once."""

    def stop(number: int, _: object) -> None:
        if wanted.is_set():
            os._exit(128 + number)
        wanted.set()

    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
