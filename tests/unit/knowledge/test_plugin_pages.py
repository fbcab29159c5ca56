"""Pages of a plug-in, one beside the other."""

from __future__ import annotations

import pytest

from tfdoctor.knowledge.plugins import Plugin, PluginError, _pages

PAGE = "---\nname: A name\nexplanation: Why\nseverity: error\nfixes: [{{ask: acme/platform}}]\n{}---\nA body.\n"
ACTION = "actions: {ask: {acme/platform: {title: Ask for a newer image}}}\n"
ACME = Plugin("acme-tfdoctor", "1.0", "acme")


def test_an_action_of_one_page_is_a_fix_on_another() -> None:
    pages = dict(_pages(ACME, [("a.md", PAGE.format("")), ("b.md", PAGE.format(ACTION))]))
    assert [each.code.fixes for each in pages.values()] == [(("ask", "acme/platform"),)] * 2


def test_an_action_that_no_page_has_is_refused() -> None:
    with pytest.raises(PluginError, match=r"a\.md: no action ask: acme/platform"):
        list(_pages(ACME, [("a.md", PAGE.format(""))]))
