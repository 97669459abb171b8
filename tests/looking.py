"""What a test expects to see on a page."""

from __future__ import annotations


def expect(locator):
    from playwright.sync_api import expect as expecting

    return expecting(locator, "")
