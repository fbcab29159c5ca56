"""Programs that stopped, and what stopped them: a bus error, workers that never met, memory that the driver refused."""
