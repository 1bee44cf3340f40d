"""The report of reconciliation (definitions/reconciliation.sql): how an archive agrees with the postbacks here.

What both sides have with the same value leaves no row of its own, so its number is that of the run. All other numbers are
recounted from the stored differences.
"""

from bodies import LINE_TYPES, Line
from compare import View
from figures import Sums, ratio

LINE = Line._fields
_OUTCOMES = ("raised_here", "raised_there", "value_differs", "signed_differs", "only_here", "only_there")
_OF_RUN = ("same_value", "not_copied", "before_begin")


def higher(value, other):
    """Which of two values of one kind is the higher one: here, there, or None. Values are numbers, coarse from 101 on."""
    if value < 0 or other < 0 or (value > 63) != (other > 63):
        return None
    return "here" if value > other else "there"


def report_rows(world):
    snapshot, sums = world.snapshot, Sums()
    runs = {run: (file, side) for run, file, side in snapshot.values(
        "SELECT run, file, side FROM attribution.reconciliation", "integer", "text", "text")}
    for run, *rest in snapshot.values(
            f"""SELECT run, {', '.join(LINE)}, {', '.join(_OF_RUN)}
                  FROM attribution.reconciliation_line
                  JOIN attribution.line USING (line)""",
            "integer", *LINE_TYPES, *["bigint"] * len(_OF_RUN)):
        sums.add((run, Line(*rest[:len(LINE)])), **dict(zip(_OF_RUN, rest[len(LINE):])))
    for run, *rest in snapshot.values(
            f"""SELECT run, {', '.join(LINE)}, outcome, value, other_value, at_end
                  FROM attribution.reconciliation_difference
                  JOIN attribution.line USING (line)""",
            "integer", *LINE_TYPES, "text", "smallint", "smallint", "boolean"):
        outcome, value, other_value, at_end = rest[len(LINE):]
        figures = {outcome: 1}
        if outcome in ("only_here", "only_there") and at_end:
            figures[f"{outcome}_at_end"] = 1
        if outcome == "value_differs":
            side = higher(value, other_value)
            figures |= {f"higher_{side}": 1} if side else {}
        sums.add((run, Line(*rest[:len(LINE)])), **figures)
    for (run, line), figures in sums.items():
        matched = figures["same_value"] + figures["raised_here"] + figures["raised_there"]
        compared = matched + sum(figures[name] for name in _OUTCOMES if not name.startswith("raised"))
        yield line._asdict() | {name: figures[name] for name in (
            *_OUTCOMES, "higher_here", "higher_there", "only_here_at_end", "only_there_at_end", "not_copied",
            "before_begin")} | {
                "run": run, "file": runs[run][0], "side": runs[run][1], "postbacks": compared, "matched": matched,
                "matched_share": ratio(matched, compared),
                "value_differs_share": ratio(figures["value_differs"], matched + figures["value_differs"]),
                "only_here_share": ratio(figures["only_here"], compared),
                "only_there_share": ratio(figures["only_there"], compared)}


def production_rows(world):
    """A copy is compared with its original and counted once, so copies are not left out."""
    for row in report_rows(world):
        if row.pop("environment") == "production":
            del row["developer_copy"]
            yield row


def views(_):
    yield View("attribution.report_copy_agreement_all", ("run",) + LINE, report_rows)
    yield View("attribution.report_copy_agreement", ("run",) + LINE[2:], production_rows)
