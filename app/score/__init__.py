"""The score: what the engine does, one lane a chat. `feed` asks, `lanes` remember."""
