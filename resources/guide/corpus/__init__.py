"""The seeded generator of the Guide's training conversations.

Everything the Guide can say is composed here: `conversation.py` strings episodes together,
and each other module writes one kind of episode. What is true of Stretto stands in
`../facts.toml` and nowhere else.
"""
