"""Table of dialects, i.e. how models delimit reasoning, replies and tool calls.

The first row that matches a model's added tokens and template is its dialect. `MLX_LM` in a column
means that mlx-lm's detection is used. Every row has a fixture in the tests
(`tests/engine/dialects`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, cast

from msgspec import Struct, field
from msgspec.structs import asdict, replace

from engine.messages import Kind

MLX_LM = "mlx-lm"  # use mlx-lm's detection

THINK = ("<think>", "</think>")
CALL = ("<tool_call>", "</tool_call>")

Pair = tuple[str, str]
Arguments = Mapping[str, Any]


class Frame(Struct, frozen=True, dict=True):
    """Delimiters of one kind of text."""

    kind: Kind
    start: str
    end: str = ""  # end delimiter, or "" if only the end of the turn ends the text
    or_end: tuple[str, ...] = ()  # other possible end delimiters
    only_first: bool = False  # only recognized at the start of a reply
    keeps_start: bool = False  # the start delimiter is part of the text
    is_plain: bool = False  # outside the frame, the end delimiter is ordinary text

    @cached_property
    def ends(self) -> tuple[str, ...]:
        """Possible ends. Empty if only the end of the turn ends the text."""
        return tuple(end for end in (self.end, *self.or_end) if end)


class Header(Struct, frozen=True):
    starts: tuple[str, ...]
    end: str
    # Words in the header, and the kind of text they announce. The first match wins.
    reads: tuple[tuple[str, Kind], ...]
    closes: tuple[str, ...] = ()  # possible end delimiters of the text after a header
    first: tuple[str, ...] = ()  # other possible delimiters at the start of a reply
    names: str = ""  # prefix of a tool name

    def kind_of(self, text: str) -> Kind:
        return next((kind for word, kind in self.reads if word in text), "answer")

    def tool_name(self, text: str) -> str:
        words = text.partition(self.names)[2].split("<", 1)[0].split() if self.names else []
        return words[0] if words else ""


class Markers(Struct, frozen=True, dict=True):
    """Delimiters of a model's reasoning and tool calls. "" if unknown."""

    think_start: str = ""
    think_end: str = ""
    tool_start: str = ""
    tool_end: str = ""
    dropped: tuple[str, ...] = ()  # markers to hide: around the answer, or meaningless
    more: tuple[Frame, ...] = ()  # additional frames
    header: Header | None = None  # set if each part has a header
    calls_end_reasoning: bool = False  # a call may start while the reasoning is still open

    @cached_property
    def frames(self) -> tuple[Frame, ...]:
        pairs = (
            Frame("reasoning", self.think_start, self.think_end),
            Frame("tool", self.tool_start, self.tool_end),
        )
        return (*(pair for pair in pairs if pair.start), *self.more)

    @property
    def call(self) -> tuple[str, str]:
        framed = (f for f in self.more if f.kind == "tool" and f.is_plain)
        first = next(framed, Frame("tool", ""))
        return (self.tool_start, self.tool_end) if self.tool_start else (first.start, first.end)

    @cached_property
    def all(self) -> frozenset[str]:
        """Strings that must not be shown to the user."""
        marks = {*self.dropped}
        for frame in self.frames:
            marks |= {*(() if frame.keeps_start else (frame.start,))}
            marks |= {*(() if frame.is_plain else frame.ends)}
        if self.header is not None:
            marks |= {*self.header.starts, self.header.end, *self.header.closes}
        return frozenset(marks - {""})

    def map(self, change: Callable[[str], str]) -> Markers:
        def changed(value: Any) -> Any:
            if isinstance(value, str):
                return change(value)
            if isinstance(value, tuple):
                return tuple(map(changed, value))
            if isinstance(value, Struct):
                fields = asdict(value).items()
                markers = {k: changed(v) for k, v in fields if k not in ("kind", "reads", "names")}
                return replace(value, **markers)
            return value

        return cast(Markers, changed(self))


class Switch(Struct, frozen=True, eq=False):
    # Template arguments.
    on: Arguments = field(default_factory=dict)
    off: Arguments = field(default_factory=dict)
    # Template arguments by OpenAI effort.
    efforts: Mapping[str, Arguments] = field(default_factory=dict)
    words: Pair = ("", "")  # texts in the system message that turn reasoning on and off


class DialectRow(Struct, frozen=True, eq=False):
    """Dialect, as documented by the model's makers."""

    name: str
    models: str  # names of the models, for the reader
    source: str  # link to the documentation
    needs: tuple[str, ...] = ()  # added tokens that a tokenizer must have
    says: tuple[str, ...] = ()  # strings that the template must contain
    renderer: str = ""  # mlx-lm module that replaces the template
    # Delimiters, `MLX_LM`, or "" for none.
    reasoning: Pair | str = MLX_LM
    tools: Pair | str = MLX_LM
    calls: str = MLX_LM  # notation of tool calls (`engine.text.call_notations`)
    call: str = ""  # template of a JSON call, if it differs from the notation's template
    dropped: tuple[str, ...] = ()
    more: tuple[Frame, ...] = ()
    header: Header | None = None
    calls_end_reasoning: bool = False
    ends: tuple[str, ...] = ()  # end-of-turn tokens in addition to those in the model's files
    switch: Switch | None = None
    # Template arguments for dates, with their `strftime` formats.
    dates: Arguments = field(default_factory=dict)
    # Text before reasoning, between reasoning and answer, and before an answer if there's no
    # reasoning. None means that each marker is surrounded by line breaks.
    opening_texts: tuple[str, str, str] | None = None
    user_tokens: tuple[str, ...] = ()  # added tokens that users may write

    def matches(self, tokens: Mapping[str, int], template: str, renderer: str) -> bool:
        if self.renderer and self.renderer == renderer:
            return True
        if not self.needs and not self.says:
            return False
        return all(n in tokens for n in self.needs) and all(s in template for s in self.says)


_HUB = "https://huggingface.co/"
_THINKING = Switch({"thinking": True}, {"thinking": False})
_ENABLE = Switch({"enable_thinking": True}, {"enable_thinking": False})
_THREE = ("low", "medium", "high")
_HARMONY_EFFORTS = {
    "minimal": {"reasoning_effort": "low"},
    **{effort: {"reasoning_effort": effort} for effort in _THREE},
    "xhigh": {"reasoning_effort": "high"},
}
_ANSWER_TAGS = ("<answer>", "\n</answer>", "</answer>")
_RESPONSE_TAGS = ("<response>", "\n</response>", "</response>")
_DSML = ("<｜DSML｜function_calls>", "</｜DSML｜function_calls>")
_BARE_CALLS = tuple(Frame("tool", bracket, only_first=True, keeps_start=True) for bracket in "{[")
_LLAMA_DATES = {"date_string": "%d %b %Y"}
_EXAONE_ENDS = ("[|endofturn|]",)

ROWS: tuple[DialectRow, ...] = (
    DialectRow(
        "harmony",
        "gpt-oss",
        "https://cookbook.openai.com/articles/openai-harmony",
        needs=("<|start|>", "<|channel|>", "<|message|>", "<|call|>"),
        reasoning="",
        tools="",
        calls="harmony",
        header=Header(
            starts=("<|channel|>", "<|start|>"),
            end="<|message|>",
            reads=(
                ("to=user", "answer"),
                ("to=assistant", "answer"),
                ("to=", "tool"),
                ("analysis", "reasoning"),
            ),
            closes=("<|end|>", "<|return|>", "<|call|>"),
            first=(" to=", "to="),
            names="to=",
        ),
        ends=("<|return|>", "<|call|>", "<|endoftext|>"),
        # These models always reason.
        switch=Switch(off={"reasoning_effort": "low"}, efforts=_HARMONY_EFFORTS),
        opening_texts=(
            "<|channel|>analysis<|message|>",
            "<|end|><|start|>assistant<|channel|>final<|message|>",
            "<|channel|>final<|message|>",
        ),
    ),
    DialectRow(
        "spark",
        "Muse Spark",
        "https://github.com/ml-explore/mlx-lm (chat_templates/muse_spark.py)",
        needs=("<|start|>", "<|message|>", "<|eom|>"),
        reasoning="",
        header=Header(
            starts=("<|start|>",),
            end="<|message|>",
            reads=(("to=self", "reasoning"),),
            closes=("<|eom|>", "<|eot|>"),
            first=("to=", " to="),
        ),
        ends=("<|eot|>",),
        opening_texts=(
            " to=self<|message|>",
            "<|eom|><|start|>assistant to=user<|message|>",
            " to=user<|message|>",
        ),
    ),
    DialectRow(
        "kimi k3",
        "Kimi K3",
        _HUB + "moonshotai/Kimi-K3",
        needs=("<|open|>", "<|close|>", "<|sep|>", "<|end_of_msg|>"),
        dropped=("<|open|>response<|sep|>", "<|close|>response<|sep|>", "<|close|>message<|sep|>"),
        ends=("<|end_of_msg|>",),
        switch=Switch(
            _THINKING.on,
            _THINKING.off,
            {
                "minimal": {"thinking_effort": "low"},
                **{effort: {"thinking_effort": effort} for effort in _THREE},
                "xhigh": {"thinking_effort": "max"},
            },
        ),
        opening_texts=(
            "<|open|>think<|sep|>",
            "<|close|>think<|sep|><|open|>response<|sep|>",
            "",
        ),
    ),
    DialectRow(
        "kimi k2",
        "Kimi K2, K2 Thinking, K2.5",
        "https://github.com/MoonshotAI/Kimi-K2/blob/main/docs/tool_call_guidance.md",
        needs=("<|im_middle|>",),
        says=("<|tool_calls_section_begin|>",),
        calls_end_reasoning=True,
        ends=("<|im_end|>", "[EOS]"),
    ),
    DialectRow(
        "kimi",
        "Moonlight, Kimi VL",
        _HUB + "moonshotai/Kimi-VL-A3B-Thinking",
        needs=("<|im_middle|>",),
        reasoning=("◁think▷", "◁/think▷"),
        ends=("<|im_end|>", "[EOS]"),
    ),
    DialectRow(
        "gemma 4",
        "Gemma 4",
        "https://ai.google.dev/gemma/docs/core/prompt-formatting-gemma4",
        needs=("<|turn>", "<turn|>", "<|channel>", "<channel|>"),
        ends=("<turn|>", "<|tool_response>"),
        switch=_ENABLE,
        opening_texts=("<|channel>thought\n", "\n<channel|>", ""),
    ),
    DialectRow(
        "function gemma",
        "FunctionGemma",
        "https://ai.google.dev/gemma/docs/functiongemma/formatting-and-best-practices",
        needs=("<start_of_turn>", "<start_function_call>"),
        reasoning="",
        ends=("<end_of_turn>", "<start_function_response>"),
    ),
    DialectRow(
        "gemma",
        "Gemma 1, 2, 3, 3n",
        "https://ai.google.dev/gemma/docs/core/prompt-structure",
        needs=("<start_of_turn>", "<end_of_turn>"),
        reasoning="",
        ends=("<end_of_turn>",),
    ),
    DialectRow(
        "deepseek v3.2",
        "DeepSeek V3.2, V4",
        _HUB + "deepseek-ai/DeepSeek-V3.2/tree/main/encoding",
        says=("｜DSML｜",),
        renderer="deepseek_v32",
        tools=_DSML,
        calls="dsml",
        more=(Frame("tool", "<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>"),),
        ends=("<｜end▁of▁sentence｜>",),
        switch=Switch(
            {"enable_thinking": True, "thinking": True},
            {"enable_thinking": False, "thinking": False},
        ),
    ),
    DialectRow(
        "deepseek r1",
        "DeepSeek V3, R1 and its distillates",
        _HUB + "deepseek-ai/DeepSeek-R1",
        needs=("<｜Assistant｜>",),
        says=("```json",),
        tools=("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
        calls="deepseek",
        call=(
            "<｜tool▁call▁begin｜>function<｜tool▁sep｜>TOOL "
            "```json ARGUMENTS ``` <｜tool▁call▁end｜>"
        ),
        ends=("<｜end▁of▁sentence｜>",),
    ),
    DialectRow(
        "deepseek v3.1",
        "DeepSeek V3.1",
        _HUB + "deepseek-ai/DeepSeek-V3.1",
        needs=("<｜Assistant｜>",),
        tools=("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
        calls="deepseek",
        ends=("<｜end▁of▁sentence｜>",),
        switch=_THINKING,
    ),
    DialectRow(
        "glm 4.5",
        "GLM 4.5, 4.6, 4.7, 5",
        "https://docs.z.ai/guides/llm/glm-4.5",
        needs=("<|observation|>",),
        says=("<arg_key>",),
        ends=("<|user|>", "<|observation|>", "<|endoftext|>"),
        switch=_ENABLE,
        user_tokens=("/nothink",),
    ),
    DialectRow(
        "glm 4",
        "GLM 4, Z1",
        "https://github.com/zai-org/GLM-4",
        needs=("<|observation|>",),
        reasoning=THINK,
        ends=("<|user|>", "<|observation|>", "<|endoftext|>"),
    ),
    DialectRow(
        "minimax",
        "MiniMax M2",
        _HUB + "MiniMaxAI/MiniMax-M2/blob/main/docs/tool_calling_guide.md",
        says=("<minimax:tool_call>",),
        ends=("[e~[",),
    ),
    DialectRow(
        "seed",
        "Seed-OSS",
        _HUB + "ByteDance-Seed/Seed-OSS-36B-Instruct",
        needs=("<seed:think>",),
        reasoning=("<seed:think>", "</seed:think>"),
        tools=("<seed:tool_call>", "</seed:tool_call>"),
        calls="qwen3_coder",
        dropped=("<seed:cot_budget_reflect>", "</seed:cot_budget_reflect>"),
        ends=("<seed:eos>",),
        switch=Switch(
            {"thinking_budget": -1},
            {"thinking_budget": 0},
            {
                "minimal": {"thinking_budget": 512},
                "low": {"thinking_budget": 1024},
                "medium": {"thinking_budget": 4096},
                "high": {"thinking_budget": 16384},
                "xhigh": {"thinking_budget": -1},
            },
        ),
        opening_texts=("<seed:think>", "</seed:think>", ""),
    ),
    DialectRow(
        "longcat",
        "LongCat Flash",
        _HUB + "meituan-longcat/LongCat-Flash-Thinking",
        needs=("<longcat_think>",),
        ends=("</longcat_s>",),
        switch=_ENABLE,
    ),
    DialectRow(
        "mistral",
        "Mistral, Ministral, Magistral, Devstral",
        "https://docs.mistral.ai/capabilities/reasoning/native",
        needs=("[INST]", "[/INST]", "[TOOL_CALLS]"),
        reasoning=("[THINK]", "[/THINK]"),
        tools=("[TOOL_CALLS]", ""),
        calls="mistral",
        more=(Frame("reasoning", *THINK),),  # Magistral, June 2025
        ends=("</s>",),
        switch=Switch(
            {"reasoning_effort": "high"},
            {"reasoning_effort": "none"},
            {effort: {"reasoning_effort": "high"} for effort in ("minimal", *_THREE, "xhigh")},
        ),
        opening_texts=("[THINK]", "[/THINK]", ""),
    ),
    DialectRow(
        "command a",
        "Cohere Command R7B, A, A Reasoning",
        "https://docs.cohere.com/docs/command-a-hf",
        needs=("<|CHATBOT_TOKEN|>", "<|START_RESPONSE|>"),
        reasoning=("<|START_THINKING|>", "<|END_THINKING|>"),
        tools=("<|START_ACTION|>", "<|END_ACTION|>"),
        calls="json",
        call='{ "tool_call_id" : NUMBER , "tool_name" : NAME , "parameters" : ARGUMENTS }',
        dropped=("<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>"),
        ends=("<|END_OF_TURN_TOKEN|>",),
        switch=Switch({"reasoning": True}, {"reasoning": False}),
        opening_texts=(
            "<|START_THINKING|>",
            "<|END_THINKING|><|START_RESPONSE|>",
            "<|START_RESPONSE|>",
        ),
    ),
    DialectRow(
        "command r",
        "Cohere Command R, Aya",
        "https://docs.cohere.com/docs/prompting-command-r",
        needs=("<|CHATBOT_TOKEN|>",),
        reasoning="",
        tools="",
        calls="json",
        call='{ "tool_name" : NAME , "parameters" : ARGUMENTS }',
        more=tuple(
            Frame("tool", f"Action:{blank}```json\n", "```", is_plain=True) for blank in (" ", "")
        ),
        ends=("<|END_OF_TURN_TOKEN|>",),
    ),
    DialectRow(
        "nemotron v2",
        "Nemotron Nano v2, Llama-Nemotron v1.5",
        _HUB + "nvidia/NVIDIA-Nemotron-Nano-9B-v2",
        says=("<TOOLCALL>", "/no_think"),
        tools=("<TOOLCALL>", "</TOOLCALL>"),
        calls="json",
        ends=("<SPECIAL_12>", "<|eot_id|>"),
        switch=Switch(words=("/think", "/no_think")),
    ),
    DialectRow(
        "nemotron",
        "Llama-Nemotron v1",
        _HUB + "nvidia/Llama-3_3-Nemotron-Super-49B-v1",
        needs=("<|eot_id|>",),
        says=("detailed thinking",),
        reasoning=THINK,
        tools=("<TOOLCALL>", "</TOOLCALL>"),
        calls="json",
        ends=("<|eot_id|>", "<|eom_id|>", "<|end_of_text|>"),
        switch=Switch(words=("detailed thinking on", "detailed thinking off")),
    ),
    DialectRow(
        "ling",
        "Ling and Ring 2",
        _HUB + "inclusionAI/Ring-mini-2.0",
        needs=("<role>", "<|role_end|>"),
        reasoning=THINK,
        ends=("<|role_end|>", "<|endoftext|>"),
        switch=Switch(words=("detailed thinking on", "detailed thinking off")),
    ),
    DialectRow(
        "lfm2",
        "LFM2, LFM2.5",
        _HUB + "LiquidAI/LFM2.5-8B-A1B",
        needs=("<|tool_call_start|>", "<|tool_call_end|>", "<|im_end|>"),
        ends=("<|im_end|>",),
    ),
    DialectRow(
        "granite 4",
        "Granite 4",
        "https://www.ibm.com/granite/docs/use-cases/prompt-engineering",
        needs=("<|start_of_role|>",),
        says=("<tool_call>",),
        ends=("<|end_of_text|>",),
    ),
    DialectRow(
        "granite 3",
        "Granite 3.0 to 3.3",
        _HUB + "ibm-granite/granite-3.3-8b-instruct",
        needs=("<|start_of_role|>", "<|tool_call|>"),
        reasoning=THINK,
        tools=("<|tool_call|>", ""),
        calls="json",
        dropped=_RESPONSE_TAGS,
        more=tuple(
            Frame(
                "reasoning",
                f"{here} my thought process:",
                "Here is my response:",
                ("Here's my response:",),
                only_first=True,
            )
            for here in ("Here is", "Here's")
        ),
        ends=("<|end_of_text|>",),
        switch=_THINKING,
        opening_texts=("<think>", "</think><response>", ""),
    ),
    *(
        DialectRow(
            "hunyuan",
            models,
            _HUB + f"tencent/{source}",
            needs=needs,
            reasoning=THINK,
            tools=("<tool_calls>", "</tool_calls>"),
            calls="json",
            dropped=_ANSWER_TAGS,
            ends=ends,
            switch=_ENABLE,
            opening_texts=("<think>\n", "\n</think>\n<answer>\n", ""),
        )
        for models, source, needs, ends in (
            ("Hunyuan A13B", "Hunyuan-A13B-Instruct", ("<|extra_0|>", "<|extra_4|>"), ("<|eos|>",)),
            (
                "Hunyuan 0.5B to 7B",
                "Hunyuan-7B-Instruct",
                ("<｜hy_User｜>", "<｜hy_Assistant｜>"),
                ("<｜hy_place▁holder▁no▁2｜>",),
            ),
        )
    ),
    DialectRow(
        "ernie thinking",
        "Ernie 4.5 Thinking",
        _HUB + "baidu/ERNIE-4.5-21B-A3B-Thinking",
        needs=("<|im_end|>",),
        says=("<response>", "<tool_call>"),
        reasoning=THINK,
        dropped=_RESPONSE_TAGS,
        ends=("<|im_end|>", "</s>"),
        opening_texts=("<think>\n", "\n</think>\n\n<response>\n", "<response>\n"),
    ),
    DialectRow(
        "ernie",
        "Ernie 4.5",
        _HUB + "baidu/ERNIE-4.5-21B-A3B-PT",
        needs=("<|begin_of_sentence|>", "<|end_of_sentence|>"),
        ends=("<|end_of_sentence|>", "</s>"),
        switch=_ENABLE,
    ),
    DialectRow(
        "qwen coder",
        "Qwen3-Coder, Qwen3.5, Nemotron 3, Step 3.5",
        _HUB + "Qwen/Qwen3-Coder-30B-A3B-Instruct",
        needs=("<|im_end|>",),
        says=("<tool_call>", "<function="),
        # Models often omit this marker.
        more=(Frame("tool", "<function=", CALL[1], keeps_start=True),),
        ends=("<|im_end|>",),
        switch=_ENABLE,
    ),
    DialectRow(
        "smollm3",
        "SmolLM3",
        _HUB + "HuggingFaceTB/SmolLM3-3B",
        needs=("<|im_end|>",),
        says=("/no_think", "xml_tools"),
        reasoning=THINK,
        ends=("<|im_end|>",),
        switch=_ENABLE,
    ),
    DialectRow(
        "qwen",
        "Qwen2.5, Qwen3, QwQ, Hermes, MiMo",
        "https://qwen.readthedocs.io/en/latest/framework/function_call.html",
        needs=("<|im_end|>",),
        says=("<tool_call>",),
        ends=("<|im_end|>",),
    ),
    DialectRow(
        "llama 4",
        "Llama 4",
        "https://www.llama.com/docs/model-cards-and-prompt-formats/llama4",
        needs=("<|header_start|>", "<|eot|>"),
        reasoning="",
        tools=("<|python_start|>", "<|python_end|>"),
        calls="pythonic",
        more=_BARE_CALLS,
        ends=("<|eot|>", "<|eom|>", "<|end_of_text|>"),
        dates=_LLAMA_DATES,
    ),
    DialectRow(
        "llama 3",
        "Llama 3, 3.1, 3.2, 3.3",
        "https://www.llama.com/docs/model-cards-and-prompt-formats/llama3_1",
        needs=("<|start_header_id|>", "<|eot_id|>"),
        tools=("<|python_tag|>", ""),
        calls="json",
        call='{ "name" : NAME , "parameters" : ARGUMENTS }',
        more=_BARE_CALLS,
        ends=("<|eot_id|>", "<|eom_id|>", "<|end_of_text|>"),
        dates=_LLAMA_DATES,
    ),
    DialectRow(
        "phi 4 mini",
        "Phi-4-mini",
        _HUB + "microsoft/Phi-4-mini-instruct",
        needs=("<|end|>", "<|tool_call|>"),
        tools=("<|tool_call|>", "<|/tool_call|>"),
        calls="json",
        more=(Frame("tool", "functools[", only_first=True, keeps_start=True),),
        ends=("<|end|>", "<|endoftext|>"),
    ),
    DialectRow(
        "phi 4",
        "Phi-4, Phi-4-reasoning",
        _HUB + "microsoft/Phi-4-reasoning",
        needs=("<|im_sep|>",),
        reasoning=THINK,
        ends=("<|im_end|>", "<|endoftext|>"),
    ),
    DialectRow(
        "olmo 3",
        "OLMo 3",
        _HUB + "allenai/Olmo-3-7B-Instruct",
        needs=("<|im_end|>",),
        says=("<function_calls>",),
        tools=("<function_calls>", "</function_calls>"),
        calls="python lines",
        ends=("<|im_end|>",),
    ),
    DialectRow(
        "exaone deep",
        "EXAONE Deep",
        _HUB + "LGAI-EXAONE/EXAONE-Deep-7.8B",
        needs=("[|assistant|]", "[|endofturn|]"),
        says=("<thought>",),
        reasoning=("<thought>", "</thought>"),
        ends=_EXAONE_ENDS,
    ),
    DialectRow(
        "exaone",
        "EXAONE 3, 4",
        _HUB + "LGAI-EXAONE/EXAONE-4.0-32B",
        needs=("[|assistant|]", "[|endofturn|]"),
        ends=_EXAONE_ENDS,
        switch=_ENABLE,
    ),
    DialectRow(
        "apertus",
        "Apertus",
        _HUB + "swiss-ai/Apertus-8B-Instruct-2509",
        needs=("<|inner_prefix|>", "<|inner_suffix|>"),
        reasoning=("<|inner_prefix|>", "<|inner_suffix|>"),
        tools=("<|tools_prefix|>", "<|tools_suffix|>"),
        calls="json",
        call="{ NAME : ARGUMENTS }",
        ends=("<|assistant_end|>",),
        switch=_ENABLE,
        opening_texts=("<|inner_prefix|>", "<|inner_suffix|>", ""),
    ),
    DialectRow(
        "apriel",
        "Apriel 1.5, 1.6",
        _HUB + "ServiceNow-AI/Apriel-1.6-15b-Thinker",
        says=("[BEGIN FINAL RESPONSE]",),
        reasoning=("Here are my reasoning steps:", "[BEGIN FINAL RESPONSE]"),
        tools=("<tool_calls>", "</tool_calls>"),
        calls="json",
        dropped=("\n[END FINAL RESPONSE]", "[END FINAL RESPONSE]"),
        ends=("<|end|>",),
    ),
)

OTHER = DialectRow(
    "other",
    "all others",
    "https://github.com/ml-explore/mlx-lm (tokenizer_utils.py)",
    ends=("<|im_end|>", "<|eot_id|>", "<|end_of_turn|>", "<|endofturn|>", "<|end|>"),
)
"""Fallback for models that match no row, with mlx-lm's detection."""
