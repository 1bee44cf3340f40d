"""Whether charts say their numbers to the mouse, to touch and to the keyboard, and lead to their days."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator

from browsing import WatchedPage
from findings import Findings

SHOWN = "place => getComputedStyle(place.querySelector('text')).opacity"


def check_charts(page: WatchedPage, address: str) -> None:
    """Each chart of a screen by day: a place says its numbers, leads to its day, and all of them can be skipped."""
    page.open(address)
    charts = page.page.locator("figure.chart").all()
    page.findings.expect(len(charts) > 5, f"{address}: has {len(charts)} charts")
    for number, chart in enumerate(charts):
        name = f"{address}: chart {number}"
        places = chart.locator(".places > *")
        if page.findings.expect(places.count() > 1, f"{name}: has {places.count()} places"):
            _check_place(page, chart, places.nth(places.count() // 3), name)
    first = charts[0].locator(".places > a").first
    day = (first.locator("tspan").first.text_content() or "").partition(",")[0]
    first.focus()
    with page.page.expect_navigation():
        page.page.keyboard.press("Enter")
    query = parse_qs(urlsplit(page.page.url).query)
    page.findings.expect(
        query.get("from") == [day] and query.get("to") == [day], f"the place of {day} leads to {page.page.url}")


def _check_place(page: WatchedPage, chart: Locator, place: Locator, name: str) -> None:
    findings = page.findings
    texts = place.locator("tspan").all_text_contents()
    findings.expect(len(texts) > 1 and all(text.strip() for text in texts), f"{name}: a place says {texts}")
    findings.expect(place.evaluate(SHOWN) == "0", f"{name}: says its numbers before anybody asks")
    place.focus()
    findings.expect(place.evaluate(SHOWN) == "1", f"{name}: says nothing to the keyboard")
    place.evaluate("place => place.blur()")
    # The area of the place is at the left of what it uses, and the box at the top.
    area = place.locator("use")
    size = area.bounding_box()
    area.hover(position={"x": 2, "y": size["height"] - 10 if size else 0})
    findings.expect(place.evaluate(SHOWN) == "1", f"{name}: says nothing to the mouse")
    page.page.mouse.move(0, 0)
    chart.locator("a.skip").focus()
    page.page.keyboard.press("Enter")
    page.page.keyboard.press("Tab")
    findings.expect(
        page.page.evaluate("!document.activeElement.matches('.places > *')"), f"{name}: can't be skipped")
