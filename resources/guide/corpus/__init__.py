"""Seeded generator of the Guide's training conversations.

`conversation.py` combines episodes to conversations, and each other module generates one type of
episode. All facts about Stretto are in `../facts.toml`.
"""
