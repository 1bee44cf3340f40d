"""What holds for every screen: accessible, without sideways scrolling, in light and dark, on a desk and a phone."""

from __future__ import annotations

from pathlib import Path

from axe_playwright_python.sync_playwright import Axe

from browsing import DESK, PHONE, WatchedPage

# WCAG 2.2 AA, and what axe-core calls best practice.
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# The rules that look at colours. Dark differs from light in nothing else.
COLOURS = ["color-contrast", "link-in-text-block"]

FOLDED = "open => document.querySelectorAll('details').forEach(details => { details.open = open; })"

# Words of cells that stand in several lines, but for those that are wider than the first column of a table may be: it stays
# while others move, and would cover them.
BROKEN = """() => [...document.querySelectorAll('th, td')].slice(0, 1000).flatMap(cell => {
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), range = document.createRange(), broken = [];
    const pen = document.createElement('canvas').getContext('2d');
    while (walker.nextNode())
        for (const word of walker.currentNode.data.matchAll(/[^\\s-]+/g)) {
            range.setStart(walker.currentNode, word.index);
            range.setEnd(walker.currentNode, word.index + word[0].length);
            const style = getComputedStyle(walker.currentNode.parentElement);
            pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
            const fits = pen.measureText(word[0]).width <= 0.65 * innerWidth;
            if (fits && new Set([...range.getClientRects()].map(line => line.top)).size > 1) broken.push(word[0]);
        }
    return broken;
})"""


class ScreenCheck:
    """Looks at a screen in each of its looks, and keeps a picture of each if there is a folder for them."""

    def __init__(self, pictures: Path | None) -> None:
        self.pictures = pictures
        self.axe = Axe()

    def check(self, page: WatchedPage, name: str) -> None:
        """Checks the screen that is open."""
        for look, size, scheme in (("light", DESK, "light"), ("dark", DESK, "dark"), ("phone", PHONE, "light")):
            page.page.set_viewport_size(size)
            page.page.emulate_media(color_scheme=scheme)
            if self.pictures:
                page.page.screenshot(path=self.pictures / f"{name}-{look}.png", full_page=True)
            self._check_header(page, f"{name} ({look})", size)
            # What is folded must be as accessible.
            page.page.evaluate(FOLDED, True)
            rules = {"type": "rule", "values": COLOURS} if look == "dark" else {"type": "tag", "values": TAGS}
            self._check_look(page, f"{name} ({look})", rules)
            page.page.evaluate(FOLDED, False)
        page.page.set_viewport_size(DESK)
        page.page.emulate_media(color_scheme="light")
        page.findings.expect(page.page.evaluate("window.markup === undefined"), f"{name}: markup of data runs")

    @staticmethod
    def _check_header(page: WatchedPage, name: str, size: dict[str, int]) -> None:
        """The header is low, and the screen that is shown is in sight, also where the others are folded."""
        if page.page.locator("header nav").count() == 0:
            return
        header = page.page.locator("header").bounding_box()
        page.findings.expect(header is not None and header["height"] < 110, f"{name}: the header is {header}")
        current = page.page.locator("header nav a[aria-current]")
        if current.count() == 0:
            return
        box = current.bounding_box()
        inside = box is not None and box["x"] >= 0 and box["x"] + box["width"] <= size["width"]
        page.findings.expect(inside, f"{name}: the name of the screen is at {box}")

    def _check_look(self, page: WatchedPage, name: str, rules: dict[str, object]) -> None:
        scroll = page.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        page.findings.expect(scroll <= 1, f"{name}: is {scroll} pixels wider than the screen")
        broken = page.page.evaluate(BROKEN)
        page.findings.expect(not broken, f"{name}: words of cells are broken: {broken[:3]}")
        found = self.axe.run(page.page, options={"runOnly": rules}).response
        page.findings.checks += len(found["passes"])
        for violation in found["violations"]:
            places = "; ".join(node["html"][:160] for node in violation["nodes"][:2])
            page.findings.add(
                f"{name}: {violation['id']}: {violation['help']} ({len(violation['nodes'])}), such as {places}")
