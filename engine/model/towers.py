"""Vision support for mlx-vlm's architectures: preprocessing and embeddings.

The image size that a model folder asks for is capped, because attention is quadratic in the number
of patches.
"""

from __future__ import annotations

import importlib
import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np

from engine.model import ragged, sliced_tower
from engine.model.patches import mix_in
from engine.model.vision import (
    ImagePreprocessor,
    InputSpan,
    PlacedImage,
    TowerInput,
    VisionFamily,
    grid_positions,
    replace_rows,
)

MAX_PIXELS = 2_000_000
"""Maximum number of pixels of a preprocessed image. Some models allow 16 million, but then
attention takes 60 times as long, and an image needs 16,000 tokens. A page of text is still readable
with 2 million.
"""


def load_preprocessor(folder: Path, config: dict[str, Any], tokenizer: Any) -> ImagePreprocessor:
    """Return the image preprocessor for a model folder.

    Raises:
        Exception: if a file in the folder is invalid, or an image token is missing.
    """
    words = getattr(tokenizer, "_tokenizer", tokenizer).get_added_vocab()
    return ImagePreprocessor(FAMILIES[config["model_type"]](folder, config, words), words)


def _module(name: str) -> Any:
    return importlib.import_module(f"mlx_vlm.models.{name}")


def _require_tokens(words: Mapping[str, int], *required: str) -> None:
    for word in required:
        if word not in words:
            raise LookupError(f"its tokenizer has no {word!r}")


def _processor_settings(folder: Path) -> dict[str, Any]:
    image_settings: dict[str, Any] = {}
    for name in ("preprocessor_config.json", "processor_config.json"):
        if (folder / name).exists():
            settings = json.loads((folder / name).read_text(encoding="utf-8"))
            image_settings |= settings.get("image_processor", settings)
    return image_settings


# ---------------------------------------------------------------- three-axis positions


class Qwen3VL(VisionFamily):
    """Qwen 3 VL and 3.5, with three-axis positions. Qwen 3 VL also adds features (DeepStack)."""

    placeholder = "<|image_pad|>"

    def __init__(self, folder: Path, config: dict[str, Any], words: Mapping[str, int]) -> None:
        processing = _module("qwen3_vl.processing_qwen3_vl")
        settings = processing._qwen_vl_image_kwargs(str(folder.resolve()), default_patch_size=16)
        settings["max_pixels"] = min(settings.get("max_pixels", MAX_PIXELS), MAX_PIXELS)
        self._processor = processing.Qwen3VLImageProcessor(**settings)
        for name in ("qwen3_vl", "qwen3_vl_moe"):
            vision = _module(f"{name}.vision")
            sliced_tower.split_rotary_by_rows(vision, "apply_rotary_pos_emb_vision", (-3, 0))

    def preprocess_image(self, rgb: np.ndarray) -> TowerInput:
        processed = self._processor([rgb.transpose(2, 0, 1)])
        merge = self._processor.merge_size
        _, high, wide = (int(n) // merge for n in np.array(processed["image_grid_thw"])[0])
        return TowerInput(processed, [high * wide], (high, wide))

    def embeddings(self, net: Any, pixels: Mapping[str, Any]) -> list[mx.array]:
        tower = net.vision_tower
        mix_in(_PositionsByRows, [tower])
        dtype = tower.patch_embed.proj.weight.dtype
        array = mx.array(pixels["pixel_values"]).astype(dtype)
        features, deep = tower(array, mx.array(pixels["image_grid_thw"]))
        return [features, *deep]

    def model_arguments(
        self,
        net: Any,
        ids: mx.array,
        rows: mx.array,
        features: list[mx.array],
        parts: Sequence[InputSpan],
    ) -> dict[str, Any]:
        arguments = super().model_arguments(net, ids, rows, features, parts)
        embedded = arguments["inputs_embeds"]
        if len(features) > 1:
            mix_in(_AddsFeatures, [net.language_model.model])
            zeros = mx.zeros_like(embedded)
            arguments["deepstack_visual_embeds"] = [
                replace_rows(zeros, rows, deep) for deep in features[1:]
            ]
        return arguments

    def places(self, images: Sequence[PlacedImage], start: int, count: int) -> np.ndarray | None:
        return grid_positions(images, start, count)


_Neighbors = tuple[np.ndarray, np.ndarray]
"""Interpolation along an axis: indices of both neighbors, `[2, positions]`, and their weights."""


class _PositionsByRows:
    """Mixin for Qwen's tower that makes position embeddings interruptible.

    The original interpolates all patches together, using Python lists.
    """

    num_grid_per_side: int
    spatial_merge_size: int
    pos_embed: Any

    def fast_pos_embed_interpolate(self, grid: mx.array) -> mx.array:
        side, merge = self.num_grid_per_side, self.spatial_merge_size

        def along(count: int) -> _Neighbors:
            at = np.array(mx.linspace(0, side - 1, count))
            low = np.floor(at)
            places = np.stack([low, np.minimum(low + 1, side - 1)])
            return places.astype(np.int32), np.stack([1 - (at - low), at - low])

        _, high, wide = map(int, np.array(grid)[0])
        blocks = high // merge, merge, wide // merge, merge, 4
        places, weights = (
            array.reshape(blocks).transpose(0, 2, 1, 3, 4)
            for array in _grid_neighbors(along(high), along(wide), side)
        )
        return _interpolate(self.pos_embed, (places, weights), cast=True)


def _grid_neighbors(rows: _Neighbors, columns: _Neighbors, side: int) -> _Neighbors:
    """Return indices and weights of the four neighbors on both axes, `[high, wide, 4]` each."""
    corners = [(row, column) for row in (0, 1) for column in (0, 1)]
    places = [rows[0][r][:, None] * side + columns[0][c] for r, c in corners]
    weights = [rows[1][r][:, None] * columns[1][c] for r, c in corners]
    return np.stack(places, axis=-1), np.stack(weights, axis=-1)


def _interpolate(embed: Any, neighbours: _Neighbors, *, cast: bool) -> mx.array:
    """Return the weighted sum of the embeddings of each position's neighbors.

    Args:
        cast: compute in the dtype of the embeddings instead of the weights' dtype.
    """

    def part(places: mx.array, weights: mx.array) -> list[mx.array]:
        embeddings = [embed(places[:, n]) for n in range(4)]
        if cast:
            weights = weights.astype(embeddings[0].dtype)
        first, *other_terms = (
            embedding * weights[:, n, None] for n, embedding in enumerate(embeddings)
        )
        return [sum(other_terms, first)]

    arrays = [(mx.array(array.reshape(-1, 4)), 0) for array in neighbours]
    return sliced_tower.split_by_rows("places", arrays, 4.0 * embed.weight.shape[-1], part)[0]


class _AddsFeatures:
    """Mixin for Qwen's text model, for features that are already at the right positions.

    The original checks each row of a pass and has to wait for the device.
    """

    def _deepstack_process(self, hidden: mx.array, _mask: Any, added: mx.array) -> mx.array:
        return hidden + added


class GlmOcr(Qwen3VL):
    """GLM-OCR, with Qwen's positions and a different tower."""

    placeholder = "<|image|>"

    def __init__(self, folder: Path, config: dict[str, Any], words: Mapping[str, int]) -> None:
        processing = _module("glm_ocr.processing")
        settings = processing._glm_ocr_image_kwargs(str(folder.resolve()))
        max_pixels = 2 * MAX_PIXELS  # this processor counts each pixel twice, for two frames
        settings["max_pixels"] = min(settings.get("max_pixels", max_pixels), max_pixels)
        self._processor = processing.Glm46VImageProcessor(
            **settings, use_transformers_backend=False
        )
        vision = _module("glm_ocr.vision")
        sliced_tower.split_rotary_by_rows(vision, "apply_rotary_pos_emb_vision", (0, 0, 0, 0))

    def embeddings(self, net: Any, pixels: Mapping[str, Any]) -> list[mx.array]:
        dtype = net.vision_tower.patch_embed.proj.weight.dtype
        array = mx.array(pixels["pixel_values"]).astype(dtype)
        return [net.vision_tower(array, mx.array(pixels["image_grid_thw"]))]


# ---------------------------------------------------------------- ordinary token positions


class Pixtral(VisionFamily):
    """Pixtral and Mistral 3, where each row of an image ends with a special token."""

    placeholder = "[IMG]"

    def __init__(self, folder: Path, config: dict[str, Any], words: Mapping[str, int]) -> None:
        processing = _module("pixtral.image_processing_pixtral")
        _require_tokens(words, "[IMG_BREAK]", "[IMG_END]")
        # The mask separates the images of a batch. A single image doesn't need this patches x
        # patches array.
        vision = _module("pixtral.vision")
        vision.generate_block_attention_mask = lambda *_: None
        sliced_tower.split_rotary_by_rows(vision, "apply_rotary_pos_emb", (2, 2, 0, 0))
        tower, merge = config["vision_config"], 2 if config["model_type"] == "mistral3" else 1
        self._factor = tower.get("patch_size", 14) * config.get("spatial_merge_size", merge)
        self._processor = processing.PixtralImageProcessor.from_pretrained(str(folder))
        # The tower has no positions beyond this size.
        max_edge = tower.get("image_size", 336) // self._factor * self._factor
        edges = processing._size_to_pair(self._processor.size)
        self._processor.size = [min(edge, max_edge) for edge in edges]

    def preprocess_image(self, rgb: np.ndarray) -> TowerInput:
        processed = self._processor.preprocess([rgb], patch_size=self._factor)
        high, wide = (edge // self._factor for edge in processed["image_sizes"][0])
        layout = [wide, "[IMG_BREAK]"] * high
        return TowerInput(dict(processed), [*layout[:-1], "[IMG_END]"])

    def embeddings(self, net: Any, pixels: Mapping[str, Any]) -> list[mx.array]:
        layer, sizes = net.vision_feature_layer, pixels["image_sizes"]
        array = mx.array(pixels["pixel_values"]).transpose(0, 2, 3, 1)
        last, states = net.vision_tower(array, output_hidden_states=layer != -1, image_sizes=sizes)
        features = (last if layer == -1 else states[layer])[0]
        projector = net.multi_modal_projector
        merger = projector.get("patch_merger")
        if merger is None:
            return [projector(features)]
        # The original merger slices out every patch separately, which is slow.
        merge = merger.spatial_merge_size
        high, wide = (edge // merger.patch_size // merge for edge in sizes[0])
        grid = projector.norm(features).reshape(high, merge, wide, merge, -1)
        merged = merger.merging_layer(grid.transpose(0, 2, 4, 1, 3).reshape(high * wide, -1))
        return [projector.linear_2(projector.gelu(projector.linear_1(merged)))]


class Lfm2VL(VisionFamily):
    """LFM2-VL. Large images are split into tiles, each preceded by a token for its position."""

    placeholder = "<image>"

    def __init__(self, folder: Path, config: dict[str, Any], words: Mapping[str, int]) -> None:
        processing = _module("lfm2_vl.processing_lfm2_vl")
        _require_tokens(words, "<|image_start|>", "<|image_end|>")
        settings = _processor_settings(folder)
        for name in processing._OFFICIAL_SPLITTING_DEFAULTS:
            settings.pop(name, None)  # mlx-vlm's own processor ignores these, too
        self._processor = processing.Lfm2VlNumpyImageProcessor(**settings)

    def preprocess_image(self, rgb: np.ndarray) -> TowerInput:
        processed = self._processor.preprocess([rgb])
        factor = self._processor.downsample_factor
        counts = [
            -(-int(high) // factor) * -(-int(wide) // factor)
            for high, wide in processed["spatial_shapes"]
        ]
        layout: list[str | int] = [counts[-1]]
        if len(counts) > 1:
            rows, columns = int(processed["image_rows"][0]), int(processed["image_cols"][0])
            places = [(row + 1, column + 1) for row in range(rows) for column in range(columns)]
            layout = ["<|img_thumbnail|>", counts[-1]]
            for (row, column), count in reversed([*zip(places, counts, strict=False)]):
                layout = [f"<|img_row_{row}_col_{column}|>", count, *layout]
        return TowerInput(dict(processed), ["<|image_start|>", *layout, "<|image_end|>"])

    def embeddings(self, net: Any, pixels: Mapping[str, Any]) -> list[mx.array]:
        names = ("spatial_shapes", "pixel_attention_mask")
        views = net.encode_images(
            mx.array(pixels["pixel_values"]), **{name: mx.array(pixels[name]) for name in names}
        )
        return [mx.concatenate(views)]


class MuseGlimmer(VisionFamily):
    placeholder = "<|patch|>"

    def __init__(self, folder: Path, config: dict[str, Any], words: Mapping[str, int]) -> None:
        _require_tokens(words, "<|image_start|>", "<|image_end|>")
        self._processor = _module("muse_glimmer").MuseGlimmerImageProcessor(
            **_processor_settings(folder)
        )
        max_tokens = MAX_PIXELS // (self._processor.patch_size * self._processor.merge_size) ** 2
        self._processor.max_image_tokens = min(self._processor.max_image_tokens, max_tokens)
        sliced_tower.split_rotary_by_rows(
            _module("muse_glimmer.vision"), "apply_rotary", (1, 1, 0, 0)
        )

    def preprocess_image(self, rgb: np.ndarray) -> TowerInput:
        from PIL import Image

        processed = self._processor([Image.fromarray(rgb)])
        count = int(processed["image_grid_thw"].prod()) // self._processor.merge_size**2
        return TowerInput(processed, ["<|image_start|>", count, "<|image_end|>"])

    def embeddings(self, net: Any, pixels: Mapping[str, Any]) -> list[mx.array]:
        mix_in(_MusePositionsByRows, [net.vision_tower.patch_embedder])
        grid = mx.array(pixels["image_grid_thw"])
        return [net._encode_image(mx.array(pixels["pixel_values"]), grid)]

    def token_embeddings(self, net: Any, ids: mx.array) -> mx.array:
        normed: mx.array = net.language_model.model.embed_norm(super().token_embeddings(net, ids))
        return normed


class _MusePositionsByRows:
    """Mixin for Muse's patch embedder. Positions outside of the table count as zero."""

    num_grid_per_side: int
    position_embedding_table: Any

    def _position_embeddings(self, grid: Sequence[Sequence[int]]) -> mx.array:
        side = self.num_grid_per_side

        def along(count: int) -> _Neighbors:
            at = (np.arange(count, dtype=np.float32) + 0.5) * (side / count) - 0.5
            low = np.floor(at)
            places, weights = np.stack([low, low + 1]), np.stack([1 - (at - low), at - low])
            inside = (places >= 0) & (places < side)
            return np.clip(places, 0, side - 1).astype(np.int32), weights * inside

        _, high, wide = grid[0]
        neighbours = _grid_neighbors(along(high), along(wide), side)
        return _interpolate(self.position_embedding_table, neighbours, cast=False)


class Gemma4(VisionFamily):
    """Gemma 4, including audio. Some of its models use bidirectional attention for images.

    The unified variant has just a single layer for patches. Audio is encoded in chunks of
    `_RECORDING_SAMPLES` samples, as in training.
    """

    sound = "<|audio|>"
    whole = True

    def __init__(self, folder: Path, config: dict[str, Any], words: Mapping[str, int]) -> None:
        home = _module(config["model_type"])
        processor = getattr(home, "ImageProcessor", None) or home.Gemma4ImageProcessor
        self._processor = processor(**_processor_settings(folder))
        words_by_id = {number: word for word, number in words.items()}
        sliced_tower.split_rotary_by_rows(
            _module("gemma4.vision"), "apply_multidimensional_rope", (1, 1)
        )
        ids = (("image", 258880), ("boi", 255999), ("eoi", 258882))
        self.placeholder, self._first, self._last = (
            words_by_id[config.get(f"{name}_token_id", default_id)] for name, default_id in ids
        )
        sound_words = [
            words_by_id.get(config.get(f"{name}_token_id", default_id))
            for name, default_id in _SOUNDS
        ]
        if (
            config.get("audio_config") is None
            or config["model_type"] != "gemma4"
            or not all(sound_words)
        ):
            self.sound = ""
            return
        self.sound, self._begins, self._ends = map(str, sound_words)
        hearing = _module("gemma4.audio_feature_extractor")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about audio filters that match the original model
            self._extractor = hearing.Gemma4AudioFeatureExtractor()  # used by all Gemma 4 models

    def preprocess_image(self, rgb: np.ndarray) -> TowerInput:
        from PIL import Image

        processed, (count,) = self._processor.preprocess([Image.fromarray(rgb)])
        return TowerInput(processed, [self._first, count, self._last])

    def preprocess_sound(self, samples: np.ndarray) -> TowerInput:
        arrays, layout = dict[str, Any](), list[str | int]()
        for n, start in enumerate(range(0, len(samples), _RECORDING_SAMPLES)):
            extracted = self._extractor(samples[start : start + _RECORDING_SAMPLES])
            (features,), (mask,) = extracted["input_features"], extracted["input_features_mask"]
            arrays[f"features {n}"], arrays[f"known {n}"] = features, mask
            # The tower merges four frames. The result is valid if the first frame is valid.
            layout += [self._begins, int(np.count_nonzero(mask[::2][::2])), self._ends]
        return TowerInput(arrays, layout)

    def tower(self, net: Any) -> Any:
        return net.get("vision_tower", net.get("vision_embedder"))

    def embeddings(self, net: Any, pixels: Mapping[str, Any]) -> list[mx.array]:
        if "known 0" in pixels:
            return [
                mx.concatenate(
                    [_recording_embeddings(net, pixels, n) for n in range(len(pixels) // 2)]
                )
            ]
        places = pixels.get("image_position_ids")
        if "vision_tower" in net:
            mix_in(_PositionLookup, [net.vision_tower.patch_embedder])
        array = mx.array(pixels["pixel_values"])
        features = net.encode_image(array, None if places is None else mx.array(places))
        return [features.reshape(-1, features.shape[-1])]

    def token_embeddings(self, net: Any, ids: mx.array) -> mx.array:
        scaled: mx.array = super().token_embeddings(net, ids) * net.language_model.model.embed_scale
        return scaled

    def model_arguments(
        self,
        net: Any,
        ids: mx.array,
        rows: mx.array,
        features: list[mx.array],
        parts: Sequence[InputSpan],
    ) -> dict[str, Any]:
        arguments = super().model_arguments(net, ids, rows, features, parts)
        model = net.language_model.model
        if model.hidden_size_per_layer_input:
            flat = ids.reshape(-1)
            flat[rows] = 0
            arguments["per_layer_inputs"] = model.get_per_layer_inputs(flat.reshape(ids.shape))
        if model.config.use_bidirectional_attention == "vision":
            mix_in(_BidirectionalImages, [model])
            arguments["mm_token_type_ids"] = [_image_spans(part) for part in parts]
        return arguments


_RECORDING_SAMPLES = 480_000  # 30 seconds at 16 kHz
_SOUNDS = (("audio", 258881), ("boa", 256000), ("eoa", 258883))


def _recording_embeddings(net: Any, pixels: Mapping[str, Any], number: int) -> mx.array:
    mask = pixels[f"known {number}"]
    features = mx.array(pixels[f"features {number}"])[None]
    encoded, _ = net.audio_tower(features, mx.array(~mask.astype(bool))[None])
    embedded: mx.array = net.embed_audio(encoded)[0]
    return embedded[mx.array(np.flatnonzero(mask[::2][::2]))]


def _image_spans(part: InputSpan) -> list[tuple[int, int]]:
    spans = []
    for at, sight in part.images:
        if not sight.whole:
            continue
        first = max(0, at + int(sight.image_indices[0]) - part.start)
        last = min(part.count, at + int(sight.image_indices[-1]) + 1 - part.start)
        if last - first > 1:
            spans.append((first, last))
    return spans


class _PositionLookup:
    """Mixin for Gemma's patch embedder that uses a table lookup for positions.

    The original multiplies the table, which has 10,240 positions per axis, by one-hot vectors.
    """

    position_embedding_table: mx.array

    def _position_embeddings(self, places: mx.array, padding: mx.array) -> mx.array:
        table, at = self.position_embedding_table, mx.maximum(places, 0)
        embeddings = table[0, at[..., 0]] + table[1, at[..., 1]]
        return mx.where(padding[..., None], 0.0, embeddings)


class _BidirectionalImages:
    """Mixin for Gemma's text model that adds bidirectional attention for images to the mask.

    The original requires that the whole prompt is read in a single pass.
    """

    layers: Any
    window_size: int

    def _make_masks(self, h: mx.array, caches: list[Any], spans: Any = None) -> list[Any]:
        if spans is None or not any(spans):
            masks: list[Any] = super()._make_masks(h, caches)  # type: ignore[misc]
            return masks
        by_type: dict[str, Any] = {}
        for layer, cache in zip(self.layers, caches, strict=True):
            if layer.layer_type not in by_type:
                window = self.window_size if layer.layer_type == "sliding_attention" else None
                by_type[layer.layer_type] = ragged.open_mask(cache, h.shape[1], window, spans)
        return [by_type[layer.layer_type] for layer in self.layers]


FAMILIES: dict[str, type[VisionFamily]] = {
    "gemma4": Gemma4,
    "gemma4_unified": Gemma4,
    "glm_ocr": GlmOcr,
    "lfm2-vl": Lfm2VL,
    "lfm2_vl": Lfm2VL,
    "mistral3": Pixtral,
    "muse_glimmer": MuseGlimmer,
    "pixtral": Pixtral,
    "qwen3_5": Qwen3VL,
    "qwen3_5_moe": Qwen3VL,
    "qwen3_vl": Qwen3VL,
    "qwen3_vl_moe": Qwen3VL,
}
