"""Print the ids from mlx-vlm's own `generate_step` as JSON. Arguments: FOLDER IMAGE TEXT TOKENS."""

import json
import sys
from itertools import islice

from mlx_vlm.generate.ar import generate_step
from mlx_vlm.utils import load, prepare_inputs

folder, image, text, count = sys.argv[1:]
model, processor = load(folder)
tokenizer = getattr(processor, "tokenizer", processor)
messages = [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": text}]}]
prompt = tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
given = dict(
    prepare_inputs(
        processor,
        images=[image],
        prompts=prompt,
        image_token_index=getattr(model.config, "image_token_index", None),
        add_special_tokens=False,
    )
)
ids, pixels = given.pop("input_ids"), given.pop("pixel_values")
mask = given.pop("attention_mask", None)
said = generate_step(ids, model, pixels, mask, max_tokens=int(count), temperature=0.0, **given)
print(json.dumps([int(token) for token, _ in islice(said, int(count))]))
