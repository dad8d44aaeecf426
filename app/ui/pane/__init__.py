"""One chat on screen: header, conversation, composer, and the chat's own settings."""
