"""Small widgets that many rooms use."""
