"""What a program writes where nothing fails and what comes of it is still not what was wanted: numbers that are none, data that end."""

from __future__ import annotations

from tfdoctor.light.expressions import Expression

SEVERAL = "several-gpus-train"
NO_METRICS = Expression(r"Available metrics are: ?(?:lr|learning_rate)?\s{0,5}$")
"""Keras' callbacks where no batch was trained on (nayash/stock_cnn_blog_pub#3, 2020-08); LearningRateScheduler's own entry may be there."""
NAMES = ("loss-not-a-number", "input-ran-out", "monitor-not-available")
