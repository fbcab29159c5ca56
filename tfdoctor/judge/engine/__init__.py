"""What a check is, how all of them are asked, and what a finding shows as its proof."""
