"""What runs on the engine thread: commands in, plan, execute, finish, events out."""
