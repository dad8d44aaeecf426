"""The conversation: messages on screen and what is done with them."""
