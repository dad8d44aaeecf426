"""A child: takes requests from its standard input, one at a time, until that ends.

It limits itself before each: the kernel ends it when the time is over, whatever library it is in
and whether or not its parent still lives, and refuses it more memory. It writes no files, unless it
was started to write some of a certain size.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import sys
import threading
import time
from array import array
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from msgspec.structs import asdict

from engine.errors import EngineError
from engine.params import SamplingParams
from engine.sandbox.protocol import Kind, RefusedError, pack, unpack
from engine.text.forms import grammar, in_words, parser_limits, refusal, too_much
from engine.text.rendering import Reader, TooLongError

_GRACE = 1.0  # seconds: the parent, which knows what to say, is to be the first
_PR_SET_PDEATHSIG = 1
# What a native parser may recurse with. Less than the engine's threads have, so that whatever
# passes here passes there.
_STACK = 4 * 2**20

_NO_TEXT = "No text has this form. Check the schema, the grammar or the pattern."
_SLOWEST = 1.0  # seconds for the first token's mask
_SLOWEST_STEP = 0.2  # seconds for following a token, which holds up all replies
_STEPS, _WALKED = 8, 0.5  # tokens that are followed, and seconds after which no more are


def main(arguments: Sequence[str]) -> int:
    """Serve until the parent closes the pipe."""
    die_with_parent()
    # What a library prints must not get among the answers.
    answers = os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (1, 2):
        os.dup2(nowhere, number)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in a terminal goes to its whole group
    _limit("RLIMIT_CORE", 0)
    kind = Kind(arguments[0]) if arguments else Kind.PROMPTS
    if kind is not Kind.WRITES:
        _limit("RLIMIT_FSIZE", 0)
    _limit("RLIMIT_NOFILE", 256)
    threading.stack_size(_STACK)
    _import_for(kind)  # after the limits
    with contextlib.suppress(EOFError, OSError):
        _write(answers, pack({"ready": True}))
        while True:
            request, blobs = unpack(_read)
            _limit("RLIMIT_AS", int(request["memory"]) or None)
            if kind is Kind.WRITES:
                _limit("RLIMIT_FSIZE", int(request["written"]), again=True)
            # A timer of zero seconds would be none.
            signal.setitimer(signal.ITIMER_PROF, max(float(request["seconds"]), 1e-6))
            signal.setitimer(signal.ITIMER_REAL, float(request["alarm"]) + _GRACE)
            reply, out, again = _answer(request, blobs)
            _limit("RLIMIT_AS", None)  # a large answer is written even when memory was short
            _write(answers, pack(reply, out))
            for timer in (signal.ITIMER_PROF, signal.ITIMER_REAL):
                signal.setitimer(timer, 0)
            del request, blobs, reply, out
            if not again:
                break
    # The interpreter's own end could wait for a library's threads.
    os._exit(0)


def _import_for(kind: Kind) -> None:
    """Import what the child will need, before it is asked for anything."""
    # transformers imports it where it is installed: gigabytes of addresses, of which few are left.
    sys.modules["torch"] = None  # type: ignore[assignment]
    if kind in (Kind.PROMPTS, Kind.TOKENIZERS):
        from engine.sandbox import prompts
    if kind is Kind.TOKENIZERS:
        from engine.sandbox import tokenizer_check  # noqa: F401

        prompts.mlx_lm_tokenizers()


def _answer(
    request: dict[str, Any], blobs: list[bytes]
) -> tuple[dict[str, Any], tuple[bytes, ...], bool]:
    """The reply to a request, and whether the child may go on after it."""
    try:
        result, out = TASKS[request["do"]](request["arguments"], blobs)
        return {"result": result}, out, True
    except RefusedError as refusal:
        return {"refused": str(refusal)}, (), True
    except MemoryError:
        return {"memory": True}, (), False
    except Exception as error:
        return {"error": _words(error)}, (), True
    except BaseException as error:  # a panic in a Rust library, after which its state is unknown
        return {"panic": _words(error)}, (), False


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:2000].encode(errors="replace").decode()


def _read(count: int) -> bytes:
    parts: list[bytes] = []
    while count:
        part = os.read(0, min(count, 2**20))
        if not part:
            raise EOFError
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _write(descriptor: int, pieces: list[bytes]) -> None:
    for piece in pieces:
        rest = memoryview(piece)
        while rest:
            rest = rest[os.write(descriptor, rest[: 2**20]) :]


def _limit(name: str, value: int | None, again: bool = False) -> None:
    """Set a soft limit, and the hard one with it where it is never to be raised again.

    Args:
        again: it is set before each request.
    """
    import resource

    which = getattr(resource, name, None)
    if which is None:
        return
    hard = resource.getrlimit(which)[1]
    soft = hard if value is None else value
    if hard != resource.RLIM_INFINITY:
        soft = hard if soft == resource.RLIM_INFINITY else min(soft, hard)
    with contextlib.suppress(OSError, ValueError):  # macOS has no limit of address space
        resource.setrlimit(which, (soft, hard if again or name == "RLIMIT_AS" else soft))


def die_with_parent() -> None:
    """On Linux the kernel ends the child with the thread that started it; see `children`."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


# The tasks. Arguments and results are plain data.

Result = tuple[dict[str, Any], tuple[bytes, ...]]

_readers: dict[str, Reader] = {}  # by the models' keys
_forms: dict[str, Any] = {}  # llguidance's tokenizers


def _hold(arguments: dict[str, Any], blobs: list[bytes]) -> Result:
    """Take a model's tokenizer, and let go of all that are not to be kept."""
    for held in (_readers, _forms):
        for key in set(held) - set(arguments["keep"]):
            del held[key]
    from engine.sandbox import prompts

    known = arguments["known"]
    if known is not None:
        _readers[arguments["key"]] = prompts.Plain(known, blobs[0])
    else:
        given = (arguments[name] for name in ("folder", "eos", "defaults"))
        _readers[arguments["key"]] = prompts.whole(*given)
    return {}, ()


def _render(arguments: dict[str, Any], blobs: list[bytes]) -> Result:
    long = arguments["long"]
    count = len(blobs) - len(long)
    lists = [json.loads(blob) for blob in blobs[:count]]
    for (number, place, key), blob in zip(long, blobs[count:], strict=True):
        lists[number][place][key] = blob.decode()
    asked = [(lists[number], opening) for number, opening in arguments["asked"]]
    texts: list[bytes] = []
    errors: list[list[str] | None] = []
    reader, template = _readers[arguments["key"]], arguments["template"]
    for text in reader.render(asked, arguments["reasoning"], template):
        if isinstance(text, EngineError):
            errors.append([text.code, text.message.encode(errors="replace").decode()])
            texts.append(b"")
        else:
            errors.append(None)
            texts.append(text.encode())
    return {"errors": errors}, tuple(texts)


def _encode(arguments: dict[str, Any], blobs: list[bytes]) -> Result:
    try:
        ids = _readers[arguments["key"]].encode(
            [blob.decode() for blob in blobs], arguments.get("most")
        )
    except TooLongError as error:
        return {"too_long": error.tokens}, ()
    return {}, tuple(array("I", some).tobytes() for some in ids)


def _form(arguments: dict[str, Any], blobs: list[bytes]) -> Result:
    params = SamplingParams(**arguments["form"])
    _compile_form(params, _form_tokenizer(arguments) if "key" in arguments else None)
    return {}, ()


def _form_tokenizer(arguments: dict[str, Any]) -> Any:
    import llguidance

    key = arguments["key"]
    if key not in _forms:
        ends = arguments["eos"]
        _forms[key] = llguidance.LLTokenizer(_backend(key).to_str(), eos_token=ends, slices=[])
    return _forms[key]


def _backend(key: str) -> Any:
    from engine.sandbox import prompts

    reader = _readers[key]
    inner = getattr(reader, "tokenizer", None)
    backend = (
        inner if isinstance(reader, prompts.Plain) else getattr(inner, "backend_tokenizer", None)
    )
    if backend is None:
        raise RefusedError("The tokenizer of this model cannot be used for answers of a form.")
    return backend


def _form_tokens(arguments: dict[str, Any], blobs: list[bytes]) -> Result:
    from engine.text.form_tokens import tell

    parts = tell(_form_tokenizer(arguments), _backend(arguments["key"]).to_str())
    return ({"parts": None}, ()) if parts is None else ({"parts": parts[0]}, parts[1])


def _folder(arguments: dict[str, Any], blobs: list[bytes]) -> Result:
    from engine.sandbox import folders

    return asdict(folders.look(Path(arguments["folder"]), arguments["name"])), ()


def _adapter(arguments: dict[str, Any], blobs: list[bytes]) -> Result:
    from engine.sandbox import folders

    return asdict(folders.look_at_adapter(Path(arguments["folder"]), arguments["name"])), ()


def _tokenizer(arguments: dict[str, Any], blobs: list[bytes]) -> Result:
    from engine.sandbox.tokenizer_check import check

    where = Path(arguments["folder"])
    return check(where, arguments["rows"], arguments["eos"], arguments["defaults"])


def _document(arguments: dict[str, Any], blobs: list[bytes]) -> Result:
    from engine.text.documents import UnreadableError, read

    try:
        found = read(Path(arguments["path"]), arguments["encoding"])
    except UnreadableError as error:
        raise RefusedError(str(error)) from None
    named = ("kind", "unit", "labels", "scans", "encoding")
    about = {name: getattr(found, name) for name in named}
    return about, ("\f".join(found.pages).encode(errors="replace"),)


def _pages(arguments: dict[str, Any], blobs: list[bytes]) -> Result:
    from engine.text.documents import UnreadableError, draw

    asked = (arguments[name] for name in ("numbers", "pixels", "small"))
    try:
        found = draw(Path(arguments["path"]), *asked)
    except UnreadableError as error:
        raise RefusedError(str(error)) from None
    about = [[page.number, page.width, page.height] for page in found]
    return {"pages": about}, tuple(file for page in found for file in (page.jpeg, page.thumbnail))


def _image(arguments: dict[str, Any], blobs: list[bytes]) -> Result:
    from engine.sandbox import images

    found = images.read(blobs[0], arguments["most"], arguments["thumbnail"])
    about = {"format": found.format, "width": found.width, "height": found.height}
    return {**about, "size": list(found.size)}, (found.rgb, found.thumbnail)


def _sound(arguments: dict[str, Any], blobs: list[bytes]) -> Result:
    from engine.sandbox import sounds

    return {}, (sounds.read(blobs[0]),)


def _gguf_digest(arguments: dict[str, Any], blobs: list[bytes]) -> Result:
    from engine.hub.gguf.folder import digest

    return digest(Path(arguments["path"]), arguments["called"]), ()


def _gguf(arguments: dict[str, Any], blobs: list[bytes]) -> Result:
    from engine.hub.gguf.folder import write

    path, out = Path(arguments["path"]), Path(arguments["out"])
    return write(path, out, arguments["called"], arguments["card"]), ()


# The form of an answer, compiled to see whether it can be and what it costs.


def _compile_form(params: SamplingParams, tokenizer: Any) -> None:
    """Do all that the engine does with a form before its first token.

    Args:
        tokenizer: llguidance's; None to look at the form alone.

    Raises:
        RefusedError: with llguidance's reason.
    """
    if tokenizer is None:
        if reason := _in_small_stack(lambda: refusal(params)):
            raise RefusedError(reason)
        return
    if reason := _in_small_stack(lambda: _compiled(params, tokenizer)):
        raise RefusedError(reason)


def _compiled(params: SamplingParams, tokenizer: Any) -> str:
    from llguidance import LLMatcher

    form = grammar(LLMatcher, params)
    matcher = LLMatcher(tokenizer, form, log_level=0, limits=parser_limits(params))
    if matcher.is_error():
        return in_words(str(matcher.get_error()), params)
    begin = time.process_time()
    matcher.compute_bitmask()
    matcher.compute_ff_bytes()
    if time.process_time() - begin > _SLOWEST:
        return "It takes too long to follow."
    if matcher.is_error():
        # A form that refers to nothing but itself compiles, and then admits no token.
        why = too_much(str(matcher.get_error()).strip())
        return f"It {why}" if why else _NO_TEXT
    return _walked(matcher)


def _walked(matcher: Any) -> str:
    """Follow the first tokens that are allowed: what some forms cost shows at a token only."""
    begin = time.process_time()
    for _ in range(_STEPS):
        mask = int.from_bytes(matcher.compute_bitmask(), "little")
        if not mask or matcher.is_stopped():
            return ""
        before = time.process_time()
        if not matcher.consume_token((mask & -mask).bit_length() - 1):
            why = too_much(str(matcher.get_error()).strip())
            return f"It {why}" if why else ""
        now = time.process_time()
        if now - before > _SLOWEST_STEP:
            return "It takes too long to follow."
        if now - begin > _WALKED:
            return ""
    return ""


def _in_small_stack(work: Callable[[], str]) -> str:
    """What `work` returns or raises, in a thread with less stack (`_STACK`) than the engine's."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(work).result()


TASKS: dict[str, Callable[[dict[str, Any], list[bytes]], Result]] = {
    "hold": _hold,
    "render": _render,
    "encode": _encode,
    "form": _form,
    "form_tokens": _form_tokens,
    "folder": _folder,
    "adapter": _adapter,
    "tokenizer": _tokenizer,
    "document": _document,
    "image": _image,
    "sound": _sound,
    "pages": _pages,
    "gguf_digest": _gguf_digest,
    "gguf": _gguf,
}
