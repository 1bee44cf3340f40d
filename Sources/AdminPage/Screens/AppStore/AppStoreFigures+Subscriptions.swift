import AdAttribution
import PageFigures
import PostgresClient
import Reports

extension AppStoreFigures {
    /// Refunds by the month in which they were, with their delay.
    ///
    /// Medians can't be added, so the delay is that of the transactions themselves, with the formula of the report.
    func refunds() throws(FieldError) -> FigurePlan {
        let (filters, bundleIDs) = (self.filters, choice.bundleIDs)
        let counted = try summary(
            "refunds", by: ["month", "currency"],
            ["transactions", "refunds", "without_price", "refunded"].map { .init($0, .sum([$0])) })
        let names = [
            "month", "part", "currency", "transactions", "refunds", "refund_rate", "refunded", "without_price",
            "delay_median_days", "delay_p90_days",
        ]
        let question = FigureQuestion(names) { values in
            let report = counted.text(&values)
            let (first, last) = (
                values.bind(.date(filters.days.lowerBound)), values.bind(.date(filters.days.upperBound))
            )
            var conditions = [
                "is_refund", "environment = \(values.bind(.text(filters.environment)))",
                "revoked_at >= attribution.day_begins(\(first))", "revoked_at < attribution.day_begins(\(last) + 1)",
            ]
            var places: [String] = []
            for id in bundleIDs { places.append(values.bind(.text(id))) }
            if !places.isEmpty { conditions.append("bundle_id IN (\(places.joined(separator: ", ")))") }
            let delays = [("delay_median_days", "0.5"), ("delay_p90_days", "0.9")].map { name, share in
                "round((percentile_cont(\(share)) WITHIN GROUP (ORDER BY delay))::numeric, 4) AS \(name)"
            }
            return """
                SELECT counted.month, in_range.days || ' of ' || of_month.days AS part, counted.currency, transactions, refunds,
                       attribution.per(refunds, transactions) AS refund_rate,
                       CASE WHEN refunds = 0 OR refunds > without_price THEN refunded END AS refunded, without_price,
                       delay_median_days, delay_p90_days
                  FROM (
                \(report)
                ) AS counted
                  LEFT JOIN (
                SELECT date_trunc('month', attribution.day_of(revoked_at)::timestamp)::date AS month, currency,
                       \(delays.joined(separator: ",\n       "))
                  FROM attribution.store_transactions
                 CROSS JOIN LATERAL (
                       SELECT (extract(epoch FROM revoked_at - purchased_at) / 86400)::double precision AS delay
                       ) AS taken
                 WHERE \(conditions.joined(separator: " AND "))
                 GROUP BY 1, 2
                ) AS delays ON delays.month = counted.month AND delays.currency IS NOT DISTINCT FROM counted.currency
                 CROSS JOIN LATERAL (
                       SELECT (counted.month + interval '1 month')::date - counted.month AS days) AS of_month
                 CROSS JOIN LATERAL (
                       SELECT least(counted.month + of_month.days - 1, \(last)) - greatest(counted.month, \(first)) + 1 AS days
                       ) AS in_range
                 ORDER BY counted.month, counted.currency NULLS LAST
                """
        }
        return FigurePlan(
            id: "refunds", heading: "Refunds by month",
            remark:
                "By the month of the refund, beside what was bought in that month, each currency in a row of its own. "
                + "The delay is that from the purchase to the refund. A month of which only a part is in the range says how "
                + "many of its days are.",
            question: question,
            columns: [
                FigureColumn("month", "Month from", isHeader: true), FigureColumn("part", "Days in the range"),
                FigureColumn("currency", "Currency"),
                FigureColumn("transactions", "Transactions without family shares", .integer),
                FigureColumn("refunds", "Refunds", .integer),
                FigureColumn("refund_rate", "Refund rate", .share), FigureColumn("refunded", "Refunded", .money),
                FigureColumn("without_price", "Refunds without a price", .integer),
                FigureColumn("delay_median_days", "Days until the refund, median", .money),
                FigureColumn("delay_p90_days", "Nine of ten within", .money),
            ], advice: advice)
    }

    /// The last renewal that has a column.
    private static let shownRenewals = 6

    /// Subscribers by the week of their first purchase, and how many of them have each renewal.
    ///
    /// A product of which nobody has a renewal has no row of it, so the size of a week is summed over all products.
    func cohorts() throws(FieldError) -> FigurePlan {
        // A group is a row of the report, so the greatest number is the number, or NULL.
        let cohort = try summary(
            "cohorts", by: ["week", "bundle_id", "product_id", "currency", "renewal_number"],
            ["subscribers", "retained", "without_price", "net"].map { .init($0, .greatest($0)) })
        // Nobody has a renewal that has no row: that is 0 if it was due.
        let renewals = (1...Self.shownRenewals).map { number in
            """
            attribution.per(coalesce(sum(retained) FILTER (WHERE renewal_number = \(number)),
                                            CASE WHEN max(renewal_number) > \(number) OR bool_or(last_due >= \(number)) THEN 0 END),
                                   sized.subscribers) AS retention_\(number)
            """
        }
        let retention = (1...Self.shownRenewals).map { "retention_\($0)" }
        let names = ["week", "currency", "subscribers"] + retention + ["without_price", "net", "value"]
        let question = FigureQuestion(names) { values in
            """
            WITH cohort AS (
            \(cohort.text(&values))
            ), sized AS (
            SELECT week, currency, sum(subscribers) AS subscribers
              FROM (SELECT DISTINCT week, bundle_id, product_id, currency, subscribers FROM cohort) AS part
             GROUP BY week, currency
            ), due AS (
            \(due(&values))
            )
            SELECT cohort.week, cohort.currency, sized.subscribers,
                   \(renewals.joined(separator: ",\n       ")),
                   sum(cohort.without_price) AS without_price, sum(cohort.net) AS net,
                   attribution.per(sum(cohort.net), sized.subscribers) AS value
              FROM cohort
              JOIN sized ON sized.week = cohort.week AND sized.currency IS NOT DISTINCT FROM cohort.currency
              LEFT JOIN due ON due.week = cohort.week AND due.currency IS NOT DISTINCT FROM cohort.currency
             GROUP BY cohort.week, cohort.currency, sized.subscribers
             ORDER BY cohort.week, cohort.currency NULLS LAST
            """
        }
        return FigurePlan(
            id: "cohorts", heading: "Subscribers by week of the first purchase",
            remark:
                "The share that has each renewal so far; – if it was due for nobody before today. Each currency "
                + "has a row of its own: a subscriber who paid in two is in both. Net is of all periods so far. The "
                + "report app_store_cohorts has all numbers.",
            question: question,
            columns: [
                FigureColumn("week", "Week from", isHeader: true), FigureColumn("currency", "Currency"),
                FigureColumn("subscribers", "Subscribers", .integer),
            ]
                + (1...Self.shownRenewals).map { FigureColumn("retention_\($0)", "Renewal \($0)", .share) }
                + [
                    FigureColumn("net", "Net so far", .money), FigureColumn("value", "For each subscriber", .money),
                    FigureColumn("without_price", "Transactions without a price", .integer),
                ], advice: advice)
    }

    /// The last renewal that was due for a subscriber of a week before today, by currency.
    ///
    /// The first one is due when the first period ends, and each further one a period later. Periods of one subscription
    /// differ if it begins with a trial, so the longest one that is known counts. Whoever left would have had them too.
    private func due(_ values: inout StatementValues) -> String {
        let today = values.bind(.date(filters.today))
        let (first, last) = (
            values.bind(.date(filters.days.lowerBound)), values.bind(.date(filters.days.upperBound))
        )
        var conditions = ["environment = \(values.bind(.text(filters.environment)))"]
        var places: [String] = []
        for id in choice.bundleIDs { places.append(values.bind(.text(id))) }
        if !places.isEmpty { conditions.append("bundle_id IN (\(places.joined(separator: ", ")))") }
        return """
            SELECT week, currency, max(floor(extract(epoch FROM attribution.day_begins(\(today)) - first_end)
                                             / greatest(period, 1)) + 1) AS last_due
              FROM (SELECT attribution.week(attribution.day_of(min(coalesce(originally_purchased_at, purchased_at)))) AS week,
                           array_agg(DISTINCT currency) AS currencies, min(expires_at) AS first_end,
                           max(extract(epoch FROM expires_at - purchased_at)) AS period
                      FROM attribution.store_transactions
                     WHERE \(conditions.joined(separator: " AND ")) AND ownership IS DISTINCT FROM 'FAMILY_SHARED'
                       AND CASE WHEN type IS NULL THEN expires_at IS NOT NULL ELSE type = 'Auto-Renewable Subscription' END
                       AND coalesce(originally_purchased_at, purchased_at) >= attribution.day_begins(\(first))
                       AND coalesce(originally_purchased_at, purchased_at) < attribution.day_begins(\(last) + 1)
                     GROUP BY original_transaction_id) AS subscription
             CROSS JOIN LATERAL unnest(currencies) AS currency
             GROUP BY week, currency
            """
    }

    /// Subscriptions that Apple could not charge.
    func risk() throws(FieldError) -> FigurePlan {
        let summary = try summary(
            "at_risk", by: ["bundle_id", "product_id", "currency"],
            ["in_billing_retry", "in_grace_period", "without_price", "billing_retry_price", "grace_period_price"]
                .map { .init($0, .greatest($0)) })
        return FigurePlan(
            id: "risk", heading: "At risk now",
            remark:
                "Subscriptions that are not paid at this moment, whatever days are chosen, and what their next periods "
                + "cost. In billing retry a customer has no access, in a grace period the customer has.",
            question: FigureQuestion(summary),
            columns: [
                FigureColumn("product_id", "Product", isHeader: true), FigureColumn("bundle_id", "App"),
                FigureColumn("currency", "Currency"),
                FigureColumn("in_billing_retry", "In billing retry", .integer),
                FigureColumn("billing_retry_price", "Their price", .money),
                FigureColumn("in_grace_period", "In grace period", .integer),
                FigureColumn("grace_period_price", "Their price", .money),
                FigureColumn("without_price", "Of both without a price", .integer),
            ], isOfDays: false,
            advice:
                "No subscription in \(filters.environment) is in billing retry or a grace period. All is well.")
    }
}
