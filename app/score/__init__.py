"""The score's data, without widgets: `feed` asks the engine, `lanes` keep half a minute."""
