"""Builder of a tokenizer.json from a GGUF file's metadata.

There are two types. "gpt2" has merges, and first splits text using a pattern that the file only
names. "llama" (SentencePiece) has a score per token: the higher the score of the result, the
earlier a pair is merged. Scores are converted to merges.
"""

from __future__ import annotations

from typing import Any

from engine.hub.gguf.reading import GgufFile
from engine.sandbox.protocol import RefusedError

MAX_TEMPLATE_BYTES = 2**20
_MAX_PIECE_CHARACTERS = (
    256  # maximum length in characters of a token for which merges are generated
)
_NORMAL, _UNKNOWN, _CONTROL, _OWN, _UNUSED, _BYTE = 1, 2, 3, 4, 5, 6

_ENDINGS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_REST = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_REST_AND_SLASH = r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_FIRST = r"[^\r\n\p{L}\p{N}]?"
_LLAMA3 = _ENDINGS + rf"|{_FIRST}\p{{L}}+|\p{{N}}{{1,3}}" + _REST
_QWEN2 = _ENDINGS + rf"|{_FIRST}\p{{L}}+|\p{{N}}" + _REST
_CASES = rf"{_FIRST}{_UPPER}*{_LOWER}+%s|{_FIRST}{_UPPER}+{_LOWER}*%s"
_TEKKEN = _CASES % ("", "") + r"|\p{N}" + _REST_AND_SLASH
_GPT4O = _CASES % ((_ENDINGS + "?",) * 2) + r"|\p{N}{1,3}" + _REST_AND_SLASH

# Split patterns, keyed by the names used in llama.cpp. None means GPT-2's pattern, which is built
# into `tokenizers`.
_RULES: dict[str, str | None] = {
    **dict.fromkeys(("default", "gpt-2", "gpt2", "phi-2", "olmo", "smollm"), None),
    **dict.fromkeys(("starcoder", "refact", "codeshell", "command-r"), None),
    **dict.fromkeys(("llama3", "llama-v3", "llama-bpe", "falcon3", "dbrx"), _LLAMA3),
    **dict.fromkeys(("qwen2", "deepseek-r1-qwen"), _QWEN2),
    "tekken": _TEKKEN,
    "gpt-4o": _GPT4O,
}
# Tokenizers that split numbers into single digits.
_DIGITS = {"smollm", "starcoder", "refact", "codeshell", "command-r"}
# Tokenizers that look up whole words before merging.
_WHOLE_WORDS = {"llama3", "llama-v3", "llama-bpe", "falcon3", "tekken"}
_COMPOSED = {"qwen2", "deepseek-r1-qwen"}  # tokenizers that use composed accents (NFC)

_ENDS = (
    *("<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end|>", "<end_of_turn>", "<|endoftext|>"),
    *("<|end_of_text|>", "<EOT>", "<|eot|>"),
)
"""Tokens that always end a turn, as in llama.cpp."""


class GgufVocabulary:
    def __init__(self, file: GgufFile, rows: int) -> None:
        self._file = file
        meta = file.metadata
        self._model = meta.get("tokenizer.ggml.model")
        if self._model not in ("gpt2", "llama"):
            raise RefusedError(
                f"{file.called} has a tokenizer of the unsupported type {repr(self._model)[:60]}. "
                "Get this model in MLX's format: File > Get a Model."
            )
        words = meta.get("tokenizer.ggml.tokens")
        if not isinstance(words, list) or not words or not isinstance(words[0], str):
            raise file.damaged_error("it has no tokens")
        if len(words) > rows:
            raise file.damaged_error(f"it has {len(words):,} tokens, but {rows:,} rows for them")
        self._words: list[str] = words
        self._ids = {word: number for number, word in enumerate(words)}
        if len(self._ids) != len(words):
            raise file.damaged_error("some of its tokens occur twice")
        self._kinds = self._numbers("token_type", [_NORMAL] * len(words))
        # Ids of the BOS token and of end-of-turn tokens.
        self.bos = self._id("bos")
        eos, eot = self._id("eos"), self._id("eot")
        end_ids = [self._ids[word] for word in _ENDS if self._is_special(self._ids.get(word))]
        ends = [eos, eot, self._id("eom"), *end_ids]
        self.ends = list(dict.fromkeys(number for number in ends if number is not None))
        self._eos = self.ends[0] if self.ends else None

    def _numbers(self, name: str, default: list[Any]) -> list[Any]:
        values = self._file.metadata.get(f"tokenizer.ggml.{name}")
        if values is None:
            return default
        if not hasattr(values, "tolist") or len(values) != len(self._words):
            raise self._file.damaged_error(f"it does not have one {name} per token")
        numbers: list[Any] = values.tolist()
        return numbers

    def _id(self, kind: str) -> int | None:
        name = {"unk": "unknown", "pad": "padding"}.get(kind, kind)
        value = self._file.metadata.get(f"tokenizer.ggml.{name}_token_id")
        good = type(value) is int and 0 <= value < len(self._words)
        return value if good else None

    def _is_special(self, number: int | None) -> bool:
        return number is not None and self._kinds[number] in (_CONTROL, _OWN)

    def _flag(self, name: str, default: bool) -> bool:
        value = self._file.metadata.get(f"tokenizer.ggml.{name}")
        return value if isinstance(value, bool) else default

    # Output.

    def tokenizer(self) -> dict[str, Any]:
        parts = self._byte_level() if self._model == "gpt2" else self._sentence_piece()
        begins = self._flag("add_bos_token", self._model == "llama")
        return {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": self._added_tokens(),
            "post_processor": self._post_processor() if begins and self.bos is not None else None,
            **parts,
        }

    def config(self, context: int) -> dict[str, Any]:
        special_ids = {
            "bos": self.bos,
            "eos": self._eos,
            "unk": self._id("unk"),
            "pad": self._id("pad"),
        }
        settings: dict[str, Any] = {
            f"{name}_token": self._words[number]
            for name, number in special_ids.items()
            if number is not None
        }
        template = self._file.metadata.get("tokenizer.chat_template")
        if isinstance(template, str) and template:
            if len(template) > MAX_TEMPLATE_BYTES:
                raise self._file.damaged_error(
                    f"its chat template has {len(template):,} characters"
                )
            settings["chat_template"] = template
        return {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": context,
            "clean_up_tokenization_spaces": False,
            **settings,
        }

    def _added_tokens(self) -> list[dict[str, Any]]:
        # Phi 3 treats whitespace after a special token as part of the token.
        swallows = self._model == "llama" and self._file.metadata["general.architecture"] == "phi3"
        plain = ("<s>", "<unk>", "<|endoftext|>")
        return [
            {
                "id": number,
                "content": word,
                "single_word": False,
                "lstrip": False,
                "rstrip": swallows and word not in plain,
                "normalized": False,
                "special": kind in (_CONTROL, _UNKNOWN),
            }
            for number, (word, kind) in enumerate(zip(self._words, self._kinds, strict=True))
            if kind in (_CONTROL, _OWN, _UNKNOWN) and word
        ]

    def _post_processor(self) -> dict[str, Any]:
        assert self.bos is not None
        mark = self._words[self.bos]
        first = {"SpecialToken": {"id": mark, "type_id": 0}}
        sequences = [{"Sequence": {"id": name, "type_id": n}} for n, name in enumerate("AB")]
        second = {"SpecialToken": {"id": mark, "type_id": 1}}
        return {
            "type": "TemplateProcessing",
            "single": [first, sequences[0]],
            "pair": [first, sequences[0], second, sequences[1]],
            "special_tokens": {mark: {"id": mark, "ids": [self.bos], "tokens": [mark]}},
        }

    def _byte_level(self) -> dict[str, Any]:
        rule = self._file.metadata.get("tokenizer.ggml.pre", "default")
        if rule not in _RULES:
            raise RefusedError(
                f"{self._file.called} splits text by the unknown rule {repr(rule)[:60]}. Get this "
                "model in MLX's format: File > Get a Model."
            )
        level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
        cuts: list[dict[str, Any]] = []
        if rule in _DIGITS:
            cuts.append({"type": "Digits", "individual_digits": True})
        expression = _RULES[rule]
        if expression is not None:
            pattern = {"Regex": expression}
            cuts.append(
                {"type": "Split", "pattern": pattern, "behavior": "Isolated", "invert": False}
            )
        cuts.append({**level, "use_regex": expression is None})
        return {
            "normalizer": {"type": "NFC"} if rule in _COMPOSED else None,
            "pre_tokenizer": {"type": "Sequence", "pretokenizers": cuts},
            "decoder": {**level, "use_regex": True},
            "model": self._bpe_model(self._given_merges(), whole_words=rule in _WHOLE_WORDS),
        }

    def _bpe_model(
        self,
        merges: list[list[str]],
        whole_words: bool = False,
        bytes_: bool = False,
        unknown: int | None = None,
    ) -> dict[str, Any]:
        return {
            "type": "BPE",
            "dropout": None,
            "unk_token": None if unknown is None else self._words[unknown],
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": bytes_,
            "byte_fallback": bytes_,
            "ignore_merges": whole_words,
            "vocab": self._ids,
            "merges": merges,
        }

    def _given_merges(self) -> list[list[str]]:
        listed = self._file.metadata.get("tokenizer.ggml.merges")
        if not isinstance(listed, list):
            raise self._file.damaged_error("it has no merges")
        merges = []
        for merge in listed:
            parts = merge.split(" ")
            if len(parts) != 2 or not all(part in self._ids for part in (*parts, "".join(parts))):
                raise self._file.damaged_error(f"it merges unknown tokens ({merge[:60]!r})")
            merges.append(parts)
        return merges

    def _sentence_piece(self) -> dict[str, Any]:
        replace = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
        back = {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}
        decoders: list[dict[str, Any]] = [back, {"type": "ByteFallback"}, {"type": "Fuse"}]
        normalizers: list[dict[str, Any]] = [replace]
        if self._flag("add_space_prefix", True):
            normalizers.insert(0, {"type": "Prepend", "prepend": "▁"})
            decoders.append({"type": "Strip", "content": " ", "start": 1, "stop": 0})
        return {
            "normalizer": {"type": "Sequence", "normalizers": normalizers},
            "pre_tokenizer": None,
            "decoder": {"type": "Sequence", "decoders": decoders},
            "model": self._bpe_model(
                self._merges_of_scores(), bytes_=True, unknown=self._id("unk")
            ),
        }

    def _merges_of_scores(self) -> list[list[str]]:
        """Return every way to merge two tokens into another, best-scoring results first."""
        scores = self._numbers("scores", [])
        if not scores:
            raise self._file.damaged_error("its tokens have no scores")
        ids, scored_merges = self._ids, []
        for number, word in enumerate(self._words):
            if self._kinds[number] != _NORMAL or not 2 <= len(word) <= _MAX_PIECE_CHARACTERS:
                continue
            for cut in range(1, len(word)):
                head, right = word[:cut], word[cut:]
                if head in ids and right in ids:
                    scored_merges.append((-scores[number], -len(head), ids[head], ids[right]))
        scored_merges.sort()
        return [[self._words[head], self._words[right]] for _, _, head, right in scored_merges]
