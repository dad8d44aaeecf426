"""Main loop and tasks of a child process.

Before each request, the child sets its limits, so that the kernel kills it when the time is up,
even if a library is running or the parent has died.
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
from engine.sandbox.protocol import ChildKind, RefusedError, pack, unpack
from engine.text.forms import (
    build_grammar,
    explain_error,
    explain_limit,
    parser_limits,
    refusal_reason,
)
from engine.text.rendering import Reader, TooLongError

_GRACE_S = 1.0  # gives the parent's deadline priority, because its error is more precise
_PR_SET_PDEATHSIG = 1
# Stack size for native parsers. It's smaller than in the engine's threads, so that a text that
# works here also works in the engine.
_STACK_BYTES = 4 * 2**20

_MATCHES_NOTHING = "No text matches it. Check the schema, the grammar or the pattern."
_MAX_FIRST_MASK_S = 1.0  # time limit for computing the first token's mask
_MAX_TOKEN_S = 0.2  # time limit for each later token, because a slow token delays all replies
_TRIAL_TOKENS, _TRIAL_S = 8, 0.5  # the trial ends when it reaches either limit


def main(arguments: Sequence[str]) -> int:
    die_with_parent()
    # Libraries may print to stdout, which mustn't end up in the replies.
    answers = os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (1, 2):
        os.dup2(nowhere, number)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is sent to the whole process group
    _set_limit("RLIMIT_CORE", 0)
    kind = ChildKind(arguments[0]) if arguments else ChildKind.PROMPTS
    if kind is not ChildKind.WRITES:
        _set_limit("RLIMIT_FSIZE", 0)
    _set_limit("RLIMIT_NOFILE", 256)
    threading.stack_size(_STACK_BYTES)
    _import_libraries(kind)  # must run after the limits are set
    with contextlib.suppress(EOFError, OSError):
        _write_all(answers, pack({"ready": True}))
        while True:
            request, blobs = unpack(_read_stdin)
            _set_limit("RLIMIT_AS", int(request["memory"]) or None)
            if kind is ChildKind.WRITES:
                _set_limit("RLIMIT_FSIZE", int(request["written"]), repeated=True)
            # Zero would disable the timer.
            signal.setitimer(signal.ITIMER_PROF, max(float(request["seconds"]), 1e-6))
            signal.setitimer(signal.ITIMER_REAL, float(request["alarm"]) + _GRACE_S)
            reply, out, goes_on = _run_task(request, blobs)
            # Lift the limit, so that a large reply can be written even if memory is short.
            _set_limit("RLIMIT_AS", None)
            _write_all(answers, pack(reply, out))
            for timer in (signal.ITIMER_PROF, signal.ITIMER_REAL):
                signal.setitimer(timer, 0)
            del request, blobs, reply, out
            if not goes_on:
                break
    # A normal exit could hang waiting for a library's threads.
    os._exit(0)


def _import_libraries(kind: ChildKind) -> None:
    # transformers imports torch if it's installed, which takes gigabytes of address space.
    sys.modules["torch"] = None  # type: ignore[assignment]
    if kind in (ChildKind.PROMPTS, ChildKind.TOKENIZERS):
        from engine.sandbox import prompts
    if kind is ChildKind.TOKENIZERS:
        from engine.sandbox import tokenizer_check  # noqa: F401

        prompts.mlx_lm_tokenizers()


def _run_task(
    request: dict[str, Any], blobs: list[bytes]
) -> tuple[dict[str, Any], tuple[bytes, ...], bool]:
    """Run a task. Return its reply and blobs, and True if the child can continue."""
    try:
        result, out = TASKS[request["do"]](request["arguments"], blobs)
        return {"result": result}, out, True
    except RefusedError as refusal:
        return {"refused": str(refusal)}, (), True
    except MemoryError:
        return {"memory": True}, (), False
    except Exception as error:
        return {"error": _describe_error(error)}, (), True
    except BaseException as error:  # after a panic, a Rust library is in an unknown state
        return {"panic": _describe_error(error)}, (), False


def _describe_error(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:2000].encode(errors="replace").decode()


def _read_stdin(count: int) -> bytes:
    parts: list[bytes] = []
    while count:
        part = os.read(0, min(count, 2**20))
        if not part:
            raise EOFError
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _write_all(descriptor: int, pieces: list[bytes]) -> None:
    for piece in pieces:
        rest = memoryview(piece)
        while rest:
            rest = rest[os.write(descriptor, rest[: 2**20]) :]


def _set_limit(name: str, value: int | None, repeated: bool = False) -> None:
    """Set a soft limit, and also the hard limit unless `repeated` is True."""
    import resource

    resource_id = getattr(resource, name, None)
    if resource_id is None:
        return
    hard = resource.getrlimit(resource_id)[1]
    soft = hard if value is None else value
    if hard != resource.RLIM_INFINITY:
        soft = hard if soft == resource.RLIM_INFINITY else min(soft, hard)
    with contextlib.suppress(OSError, ValueError):  # macOS can't limit the address space
        resource.setrlimit(resource_id, (soft, hard if repeated or name == "RLIMIT_AS" else soft))


def die_with_parent() -> None:
    """Make the kernel kill this process when the *thread* that started it ends, on Linux."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


# Tasks. Arguments and results are plain data.

TaskResult = tuple[dict[str, Any], tuple[bytes, ...]]

_readers: dict[str, Reader] = {}  # readers by model key
_form_tokenizers: dict[str, Any] = {}  # llguidance tokenizers by model key


def _load_tokenizer(arguments: dict[str, Any], blobs: list[bytes]) -> TaskResult:
    for cache in (_readers, _form_tokenizers):
        for key in set(cache) - set(arguments["keep"]):
            del cache[key]
    from engine.sandbox import prompts

    facts = arguments["known"]
    if facts is not None:
        _readers[arguments["key"]] = prompts.PlainTokenizer(facts, blobs[0])
    else:
        tokenizer_arguments = (arguments[name] for name in ("folder", "eos", "defaults"))
        _readers[arguments["key"]] = prompts.load_reader(*tokenizer_arguments)
    return {}, ()


def _render(arguments: dict[str, Any], blobs: list[bytes]) -> TaskResult:
    long = arguments["long"]
    count = len(blobs) - len(long)
    lists = [json.loads(blob) for blob in blobs[:count]]
    for (number, message_index, key), blob in zip(long, blobs[count:], strict=True):
        lists[number][message_index][key] = blob.decode()
    requests = [(lists[number], opening) for number, opening in arguments["asked"]]
    texts: list[bytes] = []
    errors: list[list[str] | None] = []
    reader, template = _readers[arguments["key"]], arguments["template"]
    for text in reader.render(requests, arguments["reasoning"], template):
        if isinstance(text, EngineError):
            errors.append([text.code, text.message.encode(errors="replace").decode()])
            texts.append(b"")
        else:
            errors.append(None)
            texts.append(text.encode())
    return {"errors": errors}, tuple(texts)


def _encode(arguments: dict[str, Any], blobs: list[bytes]) -> TaskResult:
    try:
        ids = _readers[arguments["key"]].encode(
            [blob.decode() for blob in blobs], arguments.get("most")
        )
    except TooLongError as error:
        return {"too_long": error.tokens}, ()
    return {}, tuple(array("I", tokens).tobytes() for tokens in ids)


def _check_form(arguments: dict[str, Any], blobs: list[bytes]) -> TaskResult:
    params = SamplingParams(**arguments["form"])
    _compile_form(params, _form_tokenizer(arguments) if "key" in arguments else None)
    return {}, ()


def _form_tokenizer(arguments: dict[str, Any]) -> Any:
    import llguidance

    key = arguments["key"]
    if key not in _form_tokenizers:
        ends = arguments["eos"]
        _form_tokenizers[key] = llguidance.LLTokenizer(
            _tokenizer_backend(key).to_str(), eos_token=ends, slices=[]
        )
    return _form_tokenizers[key]


def _tokenizer_backend(key: str) -> Any:
    from engine.sandbox import prompts

    reader = _readers[key]
    inner = getattr(reader, "tokenizer", None)
    backend = (
        inner
        if isinstance(reader, prompts.PlainTokenizer)
        else getattr(inner, "backend_tokenizer", None)
    )
    if backend is None:
        raise RefusedError("This model's tokenizer does not support output formats.")
    return backend


def _form_tokens(arguments: dict[str, Any], blobs: list[bytes]) -> TaskResult:
    from engine.text.form_tokens import extract

    parts = extract(_form_tokenizer(arguments), _tokenizer_backend(arguments["key"]).to_str())
    return ({"parts": None}, ()) if parts is None else ({"parts": parts[0]}, parts[1])


def _inspect_folder(arguments: dict[str, Any], blobs: list[bytes]) -> TaskResult:
    from engine.sandbox import folders

    return asdict(folders.inspect_model(Path(arguments["folder"]), arguments["name"])), ()


def _inspect_adapter(arguments: dict[str, Any], blobs: list[bytes]) -> TaskResult:
    from engine.sandbox import folders

    return asdict(folders.inspect_adapter(Path(arguments["folder"]), arguments["name"])), ()


def _check_tokenizer(arguments: dict[str, Any], blobs: list[bytes]) -> TaskResult:
    from engine.sandbox.tokenizer_check import check

    folder = Path(arguments["folder"])
    return check(folder, arguments["rows"], arguments["eos"], arguments["defaults"])


def _read_document(arguments: dict[str, Any], blobs: list[bytes]) -> TaskResult:
    from engine.text.documents import UnreadableError, read

    try:
        document = read(Path(arguments["path"]), arguments["encoding"])
    except UnreadableError as error:
        raise RefusedError(str(error)) from None
    field_names = ("kind", "unit", "labels", "scans", "encoding")
    details = {name: getattr(document, name) for name in field_names}
    return details, ("\f".join(document.pages).encode(errors="replace"),)


def _draw_pages(arguments: dict[str, Any], blobs: list[bytes]) -> TaskResult:
    from engine.text.documents import UnreadableError, draw

    options = (arguments[name] for name in ("numbers", "pixels", "small"))
    try:
        pages = draw(Path(arguments["path"]), *options)
    except UnreadableError as error:
        raise RefusedError(str(error)) from None
    sizes = [[page.number, page.width, page.height] for page in pages]
    return {"pages": sizes}, tuple(file for page in pages for file in (page.jpeg, page.thumbnail))


def _read_image(arguments: dict[str, Any], blobs: list[bytes]) -> TaskResult:
    from engine.sandbox import images

    image = images.decode(blobs[0], arguments["most"], arguments["thumbnail"])
    details = {"format": image.format, "width": image.width, "height": image.height}
    return {**details, "size": list(image.size)}, (image.rgb, image.thumbnail)


def _read_sound(arguments: dict[str, Any], blobs: list[bytes]) -> TaskResult:
    from engine.sandbox import sounds

    return {}, (sounds.decode(blobs[0]),)


def _hash_gguf(arguments: dict[str, Any], blobs: list[bytes]) -> TaskResult:
    from engine.hub.gguf.folder import hash_file

    return hash_file(Path(arguments["path"]), arguments["called"]), ()


def _convert_gguf(arguments: dict[str, Any], blobs: list[bytes]) -> TaskResult:
    from engine.hub.gguf.folder import write_folder

    path, out = Path(arguments["path"]), Path(arguments["out"])
    return write_folder(path, out, arguments["called"], arguments["card"]), ()


# Trial compilation of output formats.


def _compile_form(params: SamplingParams, tokenizer: Any) -> None:
    """Use an output format as the engine does, up to the first token."""
    if tokenizer is None:
        if reason := _run_in_small_stack(lambda: refusal_reason(params)):
            raise RefusedError(reason)
        return
    if reason := _run_in_small_stack(lambda: _compile_and_try(params, tokenizer)):
        raise RefusedError(reason)


def _compile_and_try(params: SamplingParams, tokenizer: Any) -> str:
    from llguidance import LLMatcher

    form = build_grammar(LLMatcher, params)
    matcher = LLMatcher(tokenizer, form, log_level=0, limits=parser_limits(params))
    if matcher.is_error():
        return explain_error(str(matcher.get_error()), params)
    begin = time.process_time()
    matcher.compute_bitmask()
    matcher.compute_ff_bytes()
    if time.process_time() - begin > _MAX_FIRST_MASK_S:
        return "It takes too long to evaluate."
    if matcher.is_error():
        # A recursive grammar that has no terminal compiles, but doesn't allow any token.
        explanation = explain_limit(str(matcher.get_error()).strip())
        return f"It {explanation}" if explanation else _MATCHES_NOTHING
    return _try_tokens(matcher)


def _try_tokens(matcher: Any) -> str:
    """Consume a few allowed tokens, because some grammars only reveal their cost here."""
    begin = time.process_time()
    for _ in range(_TRIAL_TOKENS):
        mask = int.from_bytes(matcher.compute_bitmask(), "little")
        if not mask or matcher.is_stopped():
            return ""
        before = time.process_time()
        if not matcher.consume_token((mask & -mask).bit_length() - 1):
            explanation = explain_limit(str(matcher.get_error()).strip())
            return f"It {explanation}" if explanation else ""
        now = time.process_time()
        if now - before > _MAX_TOKEN_S:
            return "It takes too long to evaluate."
        if now - begin > _TRIAL_S:
            return ""
    return ""


def _run_in_small_stack(work: Callable[[], str]) -> str:
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(work).result()


TASKS: dict[str, Callable[[dict[str, Any], list[bytes]], TaskResult]] = {
    "load": _load_tokenizer,
    "render": _render,
    "encode": _encode,
    "form": _check_form,
    "form_tokens": _form_tokens,
    "folder": _inspect_folder,
    "adapter": _inspect_adapter,
    "tokenizer": _check_tokenizer,
    "document": _read_document,
    "image": _read_image,
    "sound": _read_sound,
    "pages": _draw_pages,
    "gguf_digest": _hash_gguf,
    "gguf": _convert_gguf,
}
