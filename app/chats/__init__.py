"""Chats as the program knows them while it runs, shown in a pane or not."""
