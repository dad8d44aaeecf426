"""From messages to tokens, from tokens to text, and the forms that answers can be bound to."""
