"""Small dialogs that stand alone."""
