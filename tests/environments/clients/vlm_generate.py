"""What mlx-vlm's own `stream_generate` says: FOLDER IMAGE TEXT TOKENS; prints ids as JSON."""

import json
import sys

from mlx_vlm import load, stream_generate

folder, image, text, count = sys.argv[1:]
model, processor = load(folder)
messages = [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": text}]}]
prompt = processor.tokenizer.apply_chat_template(
    messages, add_generation_prompt=True, tokenize=False
)
said = stream_generate(
    model, processor, prompt, image=[image], max_tokens=int(count), temperature=0.0
)
print(json.dumps([int(one.token) for one in said if one.token is not None]))
