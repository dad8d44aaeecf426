"""The shapes of OpenAI's requests and responses, which `serve` and `batch` share."""
