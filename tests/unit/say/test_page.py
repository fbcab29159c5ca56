"""A code's page on a terminal: literal blocks, and every page at three widths."""

from __future__ import annotations

import pytest

from tfdoctor.knowledge.catalog import CODES
from tfdoctor.knowledge.pages import page_of
from tfdoctor.say.page import drawn

PAGE = """\
# The driver is *too* old.

`driver-too-old` · GPU only

## Why it happens

- The driver was never updated, see
  [plan](plan.md#drivers), or **it** was held.
- Another item.

```console
sudo apt-get install --yes a-package-with-a-name-that-is-longer-than-the-terminal


reboot
```

| TensorFlow | driver |
| --- | --- |
| 2.17 and newer | 525 or newer, whichever the system has |
| 2.4 | 450 |
"""
SHOWN = """\
The driver is *too* old.

driver-too-old · GPU only

Why it happens

- The driver was never updated, see
  plan, or it was held.
- Another item.

    sudo apt-get install --yes a-package-with-a-name-that-is-longer-than-the-terminal


    reboot

TensorFlow      driver
2.17 and newer  525 or newer, whichever
                the system has
2.4             450
"""


def test_a_page() -> None:
    assert drawn(PAGE, 40, colour=False) == SHOWN


def test_a_narrow_table_is_a_list() -> None:
    table = PAGE[PAGE.index("| TensorFlow") :]
    assert drawn(table, 28, colour=False).splitlines()[1:] == [
        "- 2.17 and newer: 525 or",
        "  newer, whichever the",
        "  system has",
        "- 2.4: 450",
    ]


def test_headings_alone_are_bold() -> None:
    assert drawn("# A\n\nb\n", 40, colour=True) == "\x1b[1mA\x1b[0m\n\nb\n"


@pytest.mark.parametrize("width", [60, 80, 120])
def test_every_page_fits_but_for_what_is_typed(width: int) -> None:
    for code in CODES:
        page = page_of(code)
        lines = drawn(page, width, colour=False).split("\n")
        wide = [
            each
            for each in lines
            if len(each) > width and " " in each.strip() and each[:4] != "    "
        ]
        assert wide == [], code
        typed = [each for block in page.split("```")[1::2] for each in block.split("\n")[1:-1]]
        assert [each for each in typed if each and f"    {each}" not in lines] == [], code
