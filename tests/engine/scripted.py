"""Model with scripted replies, in which each token determines the next.

Its layers add nothing, so the next token depends only on the previous token. The end of the prompt
selects the reply: a plain answer, an answer after reasoning, or tool calls.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from engine.bench.random_models import write_tokenizer

CALLS = (
    '{"name": "weather", "arguments": {"city": "Turin"}}',
    '</tool_call>\n<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}',
)
ANSWER, REASON = ("It", " is", " fine", "."), ("Let", " me", " see")
_WIDTH = 320
CONTEXT = 1024

TEMPLATE = (
    "{% if tools %}<|im_start|>tools{% for t in tools %} {{ t.function | tojson }}{% endfor %}"
    "<|im_end|>{% endif %}"
    "{% for m in messages %}<|im_start|>{{ m.role }}: {{ m.content }}"
    "{% for tool_call in m.tool_calls %}<tool_call>{{ tool_call.function.name }}"
    "{{ tool_call.function.arguments | tojson }}</tool_call>{# tool_call.name #}{% endfor %}"
    "<|im_end|>{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant"
    "{% if tools and messages[-1].role != 'tool' %}(t"
    "{% elif enable_thinking %}(r{% else %}(a{% endif %}{% endif %}"
)


def write_scripted(
    folder: Path,
    calls: tuple[str, ...] = CALLS,
    context: int = CONTEXT,
    endless: str = "",
) -> Path:
    """Write the model's folder and return it.

    Args:
        calls: tokens between the first and the last marker of a tool call.
        context: length limit in tokens, which are little more than single letters.
        endless: message to which the reply never ends.
    """
    from tokenizers import AddedToken, Tokenizer

    folder.mkdir(parents=True)
    for_ever = f"{{% if messages[-1].content == {endless!r} %}}(e{{% elif tools and"
    write_tokenizer(folder, TEMPLATE.replace("{% if tools and", for_ever) if endless else TEMPLATE)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    words = ("<tool_call>", "</tool_call>", *calls, *ANSWER, *REASON)
    tokenizer.add_tokens([AddedToken(word, normalized=False) for word in words])
    tokenizer.save(str(folder / "tokenizer.json"))
    chains = (
        ("a", *ANSWER, "<|im_end|>"),
        ("r", "<think>", *REASON, "</think>", ANSWER[0]),
        ("t", "<tool_call>", *calls, "</tool_call>", "<|im_end|>"),
        ("e", "o", "e"),
    )
    return write_chains(folder, chains, 2, context)


def write_chains(
    folder: Path, chains: Iterable[tuple[str, ...]], eos: int, context: int = CONTEXT
) -> Path:
    """Write the weights for a tokenizer folder so that each token of a chain leads to the next.

    Args:
        eos: token id that ends a turn, stored in the config.
    """
    import mlx.core as mx
    from mlx.utils import tree_flatten
    from mlx_lm.models.llama import Model, ModelArgs
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    config: dict[str, Any] = {
        "model_type": "llama",
        "hidden_size": _WIDTH,
        "num_hidden_layers": 1,
        "intermediate_size": 8,
        "num_attention_heads": 5,
        "num_key_value_heads": 5,
        "rms_norm_eps": 1e-5,
        "vocab_size": _WIDTH,
        "max_position_embeddings": context,
        "tie_word_embeddings": False,
        "eos_token_id": eos,
    }
    (folder / "config.json").write_text(json.dumps(config))
    net = Model(ModelArgs.from_dict(config))
    follows = mx.zeros((_WIDTH, _WIDTH))

    def id_of(word: str) -> int:
        known = tokenizer.token_to_id(word)
        return int(known if known is not None else tokenizer.encode(word).ids[0])

    for chain in chains:
        for word, after in itertools.pairwise(chain):
            follows[id_of(after), id_of(word)] = 1.0
    weights = {name: mx.zeros_like(array) for name, array in tree_flatten(net.parameters())}
    for name in weights:
        if "norm" in name:
            weights[name] = mx.ones_like(weights[name])
    weights["model.embed_tokens.weight"] = mx.eye(_WIDTH)
    weights["lm_head.weight"] = follows
    mx.save_safetensors(str(folder / "model.safetensors"), weights, {"format": "mlx"})
    return folder


AGENT_TEMPLATE = (
    "<|im_start|>system\n"
    "{% if messages[0].role == 'system' %}{{ messages[0].content }}{% endif %}"
    "{% if tools %}\ntools:{% for t in tools %} {{ t.function | tojson }}\n{% endfor %}{% endif %}"
    "<|im_end|>\n"
    "{% set ns = namespace(name='say', k=0, over=false) %}"
    "{% for m in messages %}"
    "{% if m.role == 'assistant' %}{% set ns.k = ns.k + 1 %}{% endif %}"
    "{% if m.role == 'user' %}{% for s in SCRIPTS %}{% if ('[[' ~ s ~ ']]') in m.content %}"
    "{% set ns.name = s %}{% set ns.k = 0 %}{% endif %}{% endfor %}"
    "{% if ns.name == 'fill' and ('</summary>' in m.content or 'was compacted' in m.content) %}"
    "{% set ns.name = 'say' %}{% set ns.over = true %}{% endif %}{% endif %}"
    "{% if not (loop.first and m.role == 'system') %}"
    "<|im_start|>{{ m.role }}\n{{ m.content }}"
    "{% for tool_call in m.tool_calls %}<tool_call>{{ tool_call.function.name }}"
    "{{ tool_call.function.arguments | tojson }}</tool_call>{# tool_call.name #}{% endfor %}"
    "<|im_end|>\n{% endif %}{% endfor %}"
    "{% if not tools and ns.name[:6] != 'plain-' %}{% set ns.name = 'say' %}{% endif %}"
    "{% if messages[-1].role == 'user' and not ns.over"
    " and ('<summary>' in messages[-1].content or 'a concise summary' in messages[-1].content)"
    " and '<task-notification>' not in messages[-1].content %}"
    "{% set ns.name = 'sum' %}{% set ns.k = 0 %}{% endif %}"
    "{% if ns.name == 'say' %}{% set ns.k = 0 %}{% endif %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n"
    "{{ '<|' ~ ns.name ~ '-' ~ ns.k ~ '|>' }}{% endif %}"
)


SUMMARY = "<summary>It was begun, and can go on.</summary>"
"""Reply to a last message that asks for a summary."""


def call(name: str, /, **arguments: Any) -> str:
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"


def write_agent(folder: Path, scripts: dict[str, list[str]], context: int = 2**17) -> Path:
    """Write a model that plays scripts and return its folder.

    A user message with `[[NAME]]` in it starts a script. Each later reply is the next line of the
    script, then "Done." at its end. A reply that ends in "…" never stops. Requests without tools
    also get "Done.", except for scripts named `plain-…`. So does the script `fill` once a summary
    contains its start marker, because it would restart otherwise.
    """
    from tokenizers import AddedToken, Tokenizer

    from engine.cli.arguments import GUIDE

    folder.mkdir(parents=True)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).write_bytes((GUIDE / name).read_bytes())
    names = json.dumps(list(scripts))
    (folder / "chat_template.jinja").write_text(AGENT_TEMPLATE.replace("SCRIPTS", names))
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    follows: dict[str, str] = {}
    for name, answers in {**scripts, "say": [], "sum": [SUMMARY]}.items():
        for k, answer in enumerate([*answers, *["Done."] * 8]):
            follows[f"<|{name}-{k}|>"] = answer
            follows[answer] = answer if answer.endswith("…") else "<|im_end|>"
    tokenizer.add_tokens([AddedToken(word, normalized=False) for word in follows])
    tokenizer.save(str(folder / "tokenizer.json"))
    _write_followers(folder, tokenizer, follows, context)
    return folder


SHOWS = {
    "json_tools": "tool_call.name",
    "qwen3_coder": "<tool_call>\n<function=",
    "glm47": "<arg_key>",
    "minimax_m2": "<minimax:tool_call>",
}
"""Template snippets from which mlx-lm detects the tool call format."""


_LONGEST_PIECE = 200  # characters

Answer = tuple[str, ...]
"""Reply in pieces. A piece that equals a marker is a marker, and all other pieces are text."""


def write_quoting_agent(
    folder: Path,
    scripts: dict[str, list[Answer]],
    notation: str,
    context: int = 2**17,
    spells: bool = False,
) -> Path:
    """Write a model that plays scripts like `write_agent`'s, and return its folder.

    Like a real model it has a token for each marker, and spells out markers that it quotes. Except
    for the markers, each piece may occur in only one reply.

    Args:
        notation: tool call format, a key of `SHOWS`.
        spells: the tool call markers have no tokens and are spelled out too.
    """
    from tokenizers import AddedToken, Tokenizer

    from engine.cli.arguments import GUIDE
    from engine.text.call_notations import markers

    folder.mkdir(parents=True)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).write_bytes((GUIDE / name).read_bytes())
    template = AGENT_TEMPLATE.replace("SCRIPTS", json.dumps(list(scripts)))
    shown = template.replace("tool_call.name", SHOWS[notation])
    (folder / "chat_template.jinja").write_text(shown)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    if not spells:
        tokenizer.add_tokens([AddedToken(m, normalized=False) for m in markers(notation) if m])
    tokens = [one.content for one in tokenizer.get_added_tokens_decoder().values()]
    quoted = re.compile("|".join(map(re.escape, {*tokens, *markers(notation)} - {""})))
    chains: dict[str, list[str]] = {}
    for name, answers in {**scripts, "say": [], "sum": [(SUMMARY,)]}.items():
        for k, answer in enumerate([*answers, *[("Done.",)] * 8]):
            pieces = [
                piece
                for is_token, parts in itertools.groupby(answer, tokens.__contains__)
                for piece in (parts if is_token else _spelled("".join(parts), quoted))
            ]
            chains[f"<|{name}-{k}|>"] = [*pieces, "<|im_end|>"]
    words = dict.fromkeys(word for step, chain in chains.items() for word in (step, *chain))
    tokenizer.add_tokens([AddedToken(word, normalized=False) for word in words])
    tokenizer.save(str(folder / "tokenizer.json"))
    _write_reciter(folder, tokenizer, chains, context)
    return folder


def _spelled(text: str, quoted: re.Pattern[str]) -> list[str]:
    cuts = [0, *((m.start() + m.end()) // 2 for m in quoted.finditer(text)), len(text)]
    pieces = []
    for start, end in itertools.pairwise(cuts):
        size = -(-(end - start) // -(-(end - start) // _LONGEST_PIECE)) if end > start else 1
        pieces += [text[at : min(at + size, end)] for at in range(start, end, size)]
    return pieces


def _write_reciter(
    folder: Path, tokenizer: Any, chains: dict[str, list[str]], context: int
) -> None:
    """Write weights that recite the chain whose first token occurs last in the prompt.

    Attention finds that token, so chains can continue differently after the same marker.
    """
    import mlx.core as mx

    words = list(dict.fromkeys(word for step, chain in chains.items() for word in (step, *chain)))
    places, steps = {word: n for n, word in enumerate(words, 1)}, list(chains)
    heads, size = -(-len(steps) // 32), 32
    width = -(-(1 + len(words) + len(steps)) // 32) * 32
    pairs = [
        (step, word, after)
        for step, chain in chains.items()
        for word, after in itertools.pairwise([step, *chain])
    ]
    _check_reciter(pairs)
    weights = _empty_weights(folder, tokenizer, width, heads, size, context)
    ids = {word: tokenizer.token_to_id(word) for word in words}
    own = {step: 1 + len(words) + n for n, step in enumerate(steps)}
    embedding, head = (mx.zeros((tokenizer.get_vocab_size(), width)) for _ in range(2))
    embedding[:, 0] = 1.0
    head[ids["<|im_end|>"], 0] = 9.0
    for word, place in places.items():
        embedding[ids[word], 0], embedding[ids[word], place] = 0.0, 1.0
    for step, word, after in pairs:
        head[ids[after], places[word]] = head[ids[after], own[step]] = 9.0
    layer = "model.layers.0.self_attn."
    query, key, value = (mx.zeros((heads * size, width)) for _ in range(3))
    out = mx.zeros((width, heads * size))
    slow = size // 2 - 1  # the pair of dimensions that rotates least with the position
    strength = (50 * size**0.5 / width) ** 0.5
    for n in range(heads):
        query[n * size + slow] = strength
        for step in steps:
            key[n * size + slow, places[step]] = strength
    for n, step in enumerate(steps):
        value[n, places[step]] = width**-0.5
        out[own[step], n] = 1.0
    weights |= {
        f"{layer}q_proj.weight": query,
        f"{layer}k_proj.weight": key,
        f"{layer}v_proj.weight": value,
        f"{layer}o_proj.weight": out,
        "model.embed_tokens.weight": embedding,
        "lm_head.weight": head,
    }
    mx.save_safetensors(str(folder / "model.safetensors"), weights, {"format": "mlx"})


def _check_reciter(pairs: list[tuple[str, str, str]]) -> None:
    """Check that every word has a unique successor in its chain.

    Raises:
        ValueError: shared pieces are adjacent.
    """
    before, within = dict[str, set[str]](), dict[str, set[str]]()
    for step, word, after in pairs:
        before.setdefault(after, set()).add(word)
        within.setdefault(after, set()).add(step)
    for step, word, after in pairs:
        likely = [w for w in before if word in before[w] and step in within[w]]
        if likely != [after]:
            raise ValueError(f"{word!r} is followed by one of {likely}")


def _write_followers(folder: Path, tokenizer: Any, follows: dict[str, str], context: int) -> None:
    import mlx.core as mx

    width = -(-(len(follows) + 1) // 32) * 32
    end = tokenizer.token_to_id("<|im_end|>")
    weights = _empty_weights(folder, tokenizer, width, 1, 32, context)
    # Each of these words has a dimension of its own, while all other tokens share the first.
    embedding, head = (mx.zeros((tokenizer.get_vocab_size(), width)) for _ in range(2))
    embedding[:, 0] = 1.0
    head[end, 0] = 9.0
    for place, (word, after) in enumerate(follows.items(), 1):
        number = tokenizer.token_to_id(word)
        embedding[number, 0], embedding[number, place] = 0.0, 1.0
        head[tokenizer.token_to_id(after), place] = 9.0  # certain at any temperature
    weights["model.embed_tokens.weight"], weights["lm_head.weight"] = embedding, head
    mx.save_safetensors(str(folder / "model.safetensors"), weights, {"format": "mlx"})


def _empty_weights(
    folder: Path, tokenizer: Any, width: int, heads: int, head_size: int, context: int
) -> dict[str, Any]:
    import mlx.core as mx
    from mlx.utils import tree_flatten
    from mlx_lm.models.llama import Model, ModelArgs

    config: dict[str, Any] = {
        "model_type": "llama",
        "hidden_size": width,
        "num_hidden_layers": 1,
        "intermediate_size": 8,
        "num_attention_heads": heads,
        "num_key_value_heads": heads,
        "head_dim": head_size,
        "rms_norm_eps": 1e-5,
        "rope_theta": 1e9,
        "vocab_size": tokenizer.get_vocab_size(),
        "max_position_embeddings": context,
        "tie_word_embeddings": False,
        "eos_token_id": tokenizer.token_to_id("<|im_end|>"),
    }
    (folder / "config.json").write_text(json.dumps(config))
    net = Model(ModelArgs.from_dict(config))
    return {
        name: mx.ones_like(array) if "norm" in name else mx.zeros_like(array)
        for name, array in tree_flatten(net.parameters())
    }
