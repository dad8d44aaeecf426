"""The list of saved chats and the search above it."""
