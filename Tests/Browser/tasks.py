"""Does what people come for, and counts the clicks from Overview."""

from __future__ import annotations

import re

from playwright.sync_api import Locator

from browsing import WatchedPage
from figures import psql

TRANSACTION = "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28"


class Task:
    """A task that begins on Overview and may take a number of clicks."""

    def __init__(self, page: WatchedPage, start: str, name: str, most: int) -> None:
        self.page = page
        self.name = name
        self.most = most
        self.clicks = 0
        page.open(start)

    def click(self, target: Locator) -> None:
        """Presses a link or a button that leads to a page."""
        with self.page.page.expect_navigation():
            target.click()
        self.clicks += 1

    def expect(self, holds: bool, what: str) -> None:
        """What must be seen in the end."""
        self.page.findings.expect(holds, f"{self.name}: {what}; {self.page.page.url}")
        self.page.findings.expect(self.clicks <= self.most, f"{self.name}: took {self.clicks} clicks of {self.most}")


def check_tasks(page: WatchedPage, start: str, database: str) -> None:
    """Does each task. The last one changes the mapping."""
    name = "Puzzle: Prospecting A"
    main = page.page.locator("main")

    task = Task(page, start, "yesterday's cost per install of a campaign", 2)
    task.click(page.page.locator("#top").get_by_role("link", name=name))
    tile = page.page.locator("#totals .tiles > div", has_text="CPI of yesterday")
    task.expect(tile.count() == 1 and re.search(r"[0-9]{4}-[0-9]{2}-[0-9]{2}, so far: ", tile.inner_text()) is not None,
                "no tile has it")

    task = Task(page, start, "why the revenue of a campaign is missing", 3)
    task.click(page.page.locator("#top").get_by_role("link", name=name))
    row = page.page.locator("#causes tr", has_text="withheld")
    task.expect(row.is_visible() and "Apple kept the value back" in row.inner_text(), "no row says why")

    task = Task(page, start, "a refused body by its transaction id", 3)
    task.click(page.page.get_by_role("link", name="Refused", exact=True))
    page.page.get_by_label("Transaction id").fill(TRANSACTION)
    task.click(page.page.get_by_role("button", name="Apply"))
    task.click(page.page.locator("#refused tbody a").first)
    task.expect(TRANSACTION in main.inner_text(), "the body is not shown")

    psql(database, "DELETE FROM attribution.campaign_mapping WHERE campaign_id = '111'")
    task = Task(page, start, "a name for an unmapped campaign", 4)
    task.click(page.page.locator("#top").get_by_role("link", name="not mapped, name it").first)
    form = page.page.locator("form#name")
    filled = [form.get_by_label(label).input_value() for label in ("Network", "App (empty", "Identifier")]
    form.get_by_label("Campaign id at yours").fill("tasks")
    form.get_by_label("Campaign name").fill("Named by a task")
    task.click(form.get_by_role("button"))
    task.expect(all(filled) and "Named by a task: the row of" in main.inner_text(), f"the form was filled with {filled}")
    page.open(start)
    task.expect(page.page.locator("#top").get_by_role("link", name="Named by a task").count() > 0, "has no name")
