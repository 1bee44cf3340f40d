"""Whether charts say their numbers to the mouse, to touch and to the keyboard, and whether days can be sent to others."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator

from browsing import WatchedPage
from findings import Findings

SHOWN = "place => getComputedStyle(place.querySelector('.value')).opacity"


def check_charts(page: WatchedPage, address: str) -> None:
    """Each chart of a screen by day: a place says its numbers, leads to its day, and all of them can be skipped."""
    page.open(address)
    charts = page.page.locator("figure.chart").all()
    page.findings.expect(len(charts) > 5, f"{address}: has {len(charts)} charts")
    for number, chart in enumerate(charts):
        name = f"{address}: chart {number}"
        places = chart.locator(".place")
        if page.findings.expect(places.count() > 1, f"{name}: has {places.count()} places"):
            _check_place(page, chart, places.nth(places.count() // 3), name)
    first = charts[0].locator("a.place").first
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
    place.locator(".hit").hover()
    findings.expect(place.evaluate(SHOWN) == "1", f"{name}: says nothing to the mouse")
    page.page.mouse.move(0, 0)
    chart.locator("a.skip").focus()
    page.page.keyboard.press("Enter")
    page.page.keyboard.press("Tab")
    findings.expect(
        page.page.evaluate("!document.activeElement.classList.contains('place')"), f"{name}: can't be skipped")


def check_fixed_days(page: WatchedPage, address: str, findings: Findings) -> None:
    """A link that shows the same days next week is one click from Overview, with scripts and without."""
    context = page.page.context
    browser = context.browser
    page.open(address + "&days=7")
    link = page.page.locator("#fixed-days")
    fixed = link.evaluate("link => link.href")
    query = parse_qs(urlsplit(fixed).query)
    findings.expect("days" not in query and "from" in query and "to" in query, f"the link to these days is {fixed}")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    link.click()
    page.page.locator("#fixed-days-state", has_text="Copied.").wait_for()
    copied = page.page.evaluate("navigator.clipboard.readText()")
    findings.expect(copied == fixed, f"the clipboard has {copied}, not {fixed}")
    context.clear_permissions()
    if not findings.expect(browser is not None, "the context has no browser") or browser is None:
        return
    plain = browser.new_context(java_script_enabled=False, storage_state=context.storage_state())
    try:
        other = plain.new_page()
        other.goto(address + "&days=7")
        other.locator("#fixed-days").click()
        other.wait_for_url(fixed)
        findings.expect(other.url == fixed, f"without scripts the link leads to {other.url}")
    finally:
        plain.close()
