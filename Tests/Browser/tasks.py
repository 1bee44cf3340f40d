"""Does what people come for, and counts the clicks from Overview.

A click is a press of a link, of a button, or into the first field of a form. Further fields are reached by Tab.
"""

from __future__ import annotations

import re
from decimal import Decimal
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator

from browsing import WatchedPage
from figures import psql
from screens import ScreenCheck

TRANSACTION = "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28"
CAMPAIGN = "Fitness: Prospecting A"

# The currency is wrong, in line 3.
SCHEME = """{"app-id": 525463029, "name": "mistake", "fine": [{"value": 1, "events": []}],
 "valid-from": "2031-01-01T00:00:00Z",
 "currency": "US"}"""

SPEND = """
    SELECT day, ad_network_id, advertised_app_id, campaign_id, currency, spend, impressions, clicks
      FROM attribution.spend_daily
     WHERE (day, advertised_app_id) = (SELECT max(day), 525463029 FROM attribution.spend_daily)
     ORDER BY ad_network_id, campaign_id
    """


class Task:
    """A task that begins on Overview and may take a number of clicks."""

    def __init__(self, page: WatchedPage, start: str, name: str, most: int) -> None:
        self.page = page
        self.main = page.page.locator("main")
        self.name = name
        self.most = most
        self.clicks = 0
        page.open(start)

    def click(self, target: Locator) -> None:
        """Presses what stays on the page, such as a field."""
        target.click()
        self.clicks += 1

    def follow(self, target: Locator) -> None:
        """Presses a link or a button that leads to a page."""
        with self.page.page.expect_navigation():
            self.click(target)

    def expect(self, holds: bool, what: str) -> None:
        """What must be seen in the end, or on the way."""
        self.page.findings.expect(holds, f"{self.name}: {what}; {self.page.page.url}")
        self.page.findings.expect(self.clicks <= self.most, f"{self.name}: took {self.clicks} clicks of {self.most}")


def check_tasks(page: WatchedPage, start: str, database: str, screens: ScreenCheck) -> None:
    """Does each of the seven tasks. Naming a campaign changes the mapping, all others leave the data as they were."""
    _cost_of_yesterday(Task(page, start, "yesterday's cost per install of a campaign", 2), database)
    _missing_revenue(Task(page, start, "why the revenue of a campaign is missing", 3))
    _refused_body(Task(page, start, "a refused body by its transaction id", 3))
    _mistake(Task(page, start, "a scheme with a mistake", 4), screens)
    _name(page, start, database)
    _spend_of_a_day(Task(page, start, "a day's spend, loaded and taken back", 5), database, screens)
    _link(Task(page, start + "&days=7", "a link that shows the same days next week", 1))


def _cost_of_yesterday(task: Task, database: str) -> None:
    """The tile has the number of the report, whose spend and installs are those of yesterday."""
    task.follow(task.main.locator("#top").get_by_role("link", name=CAMPAIGN))
    tile = task.main.locator("#totals .tiles > div", has_text="CPI of yesterday")
    text = tile.inner_text() if tile.count() == 1 else ""
    shown = re.search(r"CPI of yesterday, ([A-Z]{3})\s+([0-9.,]+)\s+([0-9]{4}-[0-9]{2}-[0-9]{2}), so far: ", text)
    task.expect(shown is not None, f"no tile has a number: {text}")
    if shown is None:
        return
    currency, number, day = shown.groups()
    rows = psql(database, f"""
        SELECT cost, installs, cost_per_install
          FROM attribution.report_cost('{day}', '{day}', 1234567891, '{currency}', 'test')
         WHERE network_name = 'example123' AND campaign_name = '{CAMPAIGN}'
        """)
    cost, installs, per_install = rows[1] if len(rows) == 2 else ["", "", ""]
    task.expect(
        bool(per_install) and int(installs) >= 5 and number == f"{Decimal(per_install):,.2f}"
        and abs(Decimal(cost) / int(installs) - Decimal(per_install)) < Decimal("0.00001"),
        f"the tile says {number}, the report {rows[1:]}")


def _missing_revenue(task: Task) -> None:
    task.follow(task.main.locator("#top").get_by_role("link", name=CAMPAIGN))
    row = task.main.locator("#causes tr", has_text="withheld")
    task.expect(row.is_visible() and "Apple kept the value back" in row.inner_text(), "no row says why")


def _refused_body(task: Task) -> None:
    task.follow(task.page.page.get_by_role("link", name="Refused", exact=True))
    task.click(task.main.get_by_label("Transaction id"))
    task.page.page.keyboard.type(TRANSACTION)
    with task.page.page.expect_navigation():
        task.page.page.keyboard.press("Enter")
    task.follow(task.main.locator("#refused tbody a").first)
    task.expect(TRANSACTION in task.main.inner_text(), "the body is not shown")


def _mistake(task: Task, screens: ScreenCheck) -> None:
    task.follow(task.page.page.get_by_role("link", name="Schemes", exact=True))
    task.click(task.main.locator("#load-scheme"))
    task.main.locator("#load-scheme").fill(SCHEME)
    task.page.expects_refusal = True
    task.follow(task.main.get_by_role("button", name="Load", exact=True))
    task.page.expects_refusal = False
    screens.check(task.page, "wrong-scheme")
    summary = task.main.locator("[role=alert] li")
    task.expect(summary.count() == 1, f"one mistake gives {summary.count()} messages")
    task.click(summary.locator("a").first)
    field = task.main.locator(":focus")
    task.expect(field.get_attribute("id") == "load-scheme", "the message does not lead to its field")
    task.expect(field.input_value() == SCHEME, "what was typed is gone")
    described = task.main.locator("#" + (field.get_attribute("aria-describedby") or "nothing"))
    for text in ("line 3: currency", '"currency": "US"'):
        task.expect(text in described.inner_text(), f"the field does not say {text}")


def _name(page: WatchedPage, start: str, database: str) -> None:
    psql(database, "DELETE FROM attribution.campaign_mapping WHERE campaign_id = '211'")
    task = Task(page, start, "a name for an unmapped campaign", 4)
    task.follow(task.main.locator("#top").get_by_role("link", name="not mapped, name it").first)
    form = task.main.locator("form#name")
    filled = [form.get_by_label(label).input_value() for label in ("Network", "App (empty", "Identifier")]
    task.click(form.get_by_label("Campaign id at yours"))
    form.get_by_label("Campaign id at yours").fill("tasks")
    form.get_by_label("Campaign name").fill("Named by a task")
    task.follow(form.get_by_role("button"))
    said = "Named by a task: the row of" in task.main.inner_text()
    task.expect(all(filled) and said, f"the form was filled with {filled}")
    page.open(start)
    task.expect(task.main.locator("#top").get_by_role("link", name="Named by a task").count() > 0, "has no name")


def _spend_of_a_day(task: Task, database: str, screens: ScreenCheck) -> None:
    """The last day again, with one cost that is higher: so rows would be changed, and the page asks first."""
    before = psql(database, SPEND)
    lines = [",".join(row) for row in before]
    corrected = [*before[1][:5], str(Decimal(before[1][5]) + 1), *before[1][6:]]
    lines[1] = ",".join(corrected)
    task.follow(task.page.page.get_by_role("link", name="Spend", exact=True))
    task.click(task.main.locator("#spend-form-spend"))
    task.main.locator("#spend-form-spend").fill("\n".join(lines) + "\n")
    task.follow(task.main.get_by_role("button", name="Load spend"))
    task.expect("Nothing is loaded yet" in task.main.inner_text() and psql(database, SPEND) == before, "does not ask")
    screens.check(task.page, "load-question")
    task.follow(task.main.get_by_role("button", name="Load: remove 0, change 1, add 0 rows"))
    task.expect(psql(database, SPEND)[1] == corrected, "the cost is not loaded")
    task.follow(task.main.locator("#take-back-spend button"))
    task.expect(psql(database, SPEND) == before, "the cost is not as it was")


def _link(task: Task) -> None:
    """One click with scripts and without."""
    context = task.page.page.context
    browser = context.browser
    fixed = task.main.locator("#fixed-days").evaluate("link => link.href")
    query = parse_qs(urlsplit(fixed).query)
    days = [query.get(name, [""])[0] for name in ("from", "to")]
    shown = task.main.locator(".shown").inner_text()
    task.expect("days" not in query and all(day and day in shown for day in days), f"{fixed} is not of {shown}")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    task.click(task.main.locator("#fixed-days"))
    task.main.locator("#fixed-days-state", has_text="Copied.").wait_for()
    copied = task.page.page.evaluate("navigator.clipboard.readText()")
    task.expect(copied == fixed, f"the clipboard has {copied}, not {fixed}")
    context.clear_permissions()
    if browser is None:
        task.expect(False, "the context has no browser")
        return
    plain = browser.new_context(java_script_enabled=False, storage_state=context.storage_state())
    try:
        other = plain.new_page()
        other.goto(task.page.page.url)
        other.locator("#fixed-days").click()
        other.wait_for_url(fixed)
        task.expect(other.url == fixed, f"without scripts the link leads to {other.url}")
    finally:
        plain.close()
