package import AdAttribution
import Foundation
import StrictJSON

/// What the values of one model of an app mean, as a file for `PostbackServer scheme load`.
package struct TimelineScheme: Sendable {
    /// The advertised app.
    package let appID: Int64
    /// The place of the model among those of the app, from 0.
    package let number: Int
    /// The file; `docs/schemes.md` describes it.
    package let json: [UInt8]
}

extension TimelineSettings {
    /// The schemes of all apps, in the order of time for each.
    ///
    /// - Throws: `FieldError` for a wrong setting.
    package func schemes() throws(FieldError) -> [TimelineScheme] {
        let begin = try calendar(seed: 0).begin
        _ = try simulatedApps(begin: begin)
        return apps.flatMap { app in
            app.models.enumerated().map { number, model in
                let next = app.models.dropFirst(number + 1).first?.fromDay
                // The first postback may have a value that was set, as far as one can tell, 25 days before the first
                // day.
                let from = begin + .days(number == 0 ? -30 : model.fromDay ?? 0)
                let to = next.map { begin + .days($0) }
                return TimelineScheme(
                    appID: app.appID, number: number, json: model.scheme(app.appID, number, from: from, to: to))
            }
        }
    }
}

extension TimelineSettings.Model {
    /// The ranges of the buckets in cents, those of `1` first; the last one has no end.
    private var ranges: [(from: Int64, to: Int64?)] {
        zip(buckets, buckets.dropFirst().map { Optional($0 - 1) } + [nil]).map { ($0, $1) }
    }

    /// The ranges of the coarse values.
    private var coarse: [(name: String, from: Int64, to: Int64?)] {
        [("low", 0, medium - 1), ("medium", medium, high - 1), ("high", high, nil)]
    }

    fileprivate func scheme(_ app: Int64, _ number: Int, from: Moment, to: Moment?) -> [UInt8] {
        var file = JSONObjectText()
        file.append("app-id", app)
        file.append("name", "\(model) \(number)")
        file.append("valid-from", Self.text(from))
        if let to { file.append("valid-to", Self.text(to)) }
        file.append("currency", "USD")
        file.append("measurement-window-hours", measurementWindowHours)
        if model == "revenue" {
            let values = ranges.enumerated().map { index, range in
                "{\"value\":\(index + 1),\(fineMeaning(range.from, range.to))}"
            }
            file.append("fine", json: Self.array(["{\"value\":0,\"events\":[]}"] + values).utf8)
        } else {
            let bounds = Self.array(["0"] + buckets.map(Self.amount))
            let event = "\"kind\":\"revenue\",\"event\":\"\(Self.purchaseEvent)\""
            let revenue = "{\"bits\":\"0-3\",\(event),\"buckets\":\(bounds)}"
            file.append("bits", json: Self.array([revenue, "{\"bits\":\"4-5\",\"kind\":\"day\"}"]).utf8)
        }
        file.append("windows", json: Self.array((0...2).map(window)).utf8)
        return file.finished()
    }

    private func window(_ index: Int) -> String {
        let values = coarse.map { value in
            // Low also stands for no purchase.
            var events = [Self.purchase(value.from, value.to, value.from == 0 ? Self.orNever : "")]
            if let lock = lockEvent(value.from, value.to) {
                events.append("{\"name\":\(lock.name)\(lock.isCertain ? "" : Self.orNever)}")
            }
            return "\"\(value.name)\":{\"events\":\(Self.array(events))}"
        }
        let locks =
            lockEvent.map { ["{\"event\":\(JSONText.quoted($0))}"] }
            ?? (index == 0 ? coarseLocks + fineLocks : coarseLocks)
        let lock = locks.isEmpty ? "" : ",\"lock\":\(Self.array(locks))"
        return "{\"index\":\(index),\"coarse\":{\(values.joined(separator: ","))}\(lock)}"
    }

    /// The meaning of a fine value: a purchase, and the event that stands for the lock, if there is one.
    private func fineMeaning(_ from: Int64, _ to: Int64?) -> String {
        let purchase = Self.purchase(from, to)
        guard let lock = lockEvent(from, to) else { return "\"events\":\(Self.array([purchase]))" }
        // The other way to say that an event may have happened; coarse values count from 0.
        return "\"\(lock.isCertain ? "events" : "any-of")\":\(Self.array([purchase, "{\"name\":\(lock.name)}"]))"
    }

    /// The event that stands for the lock, as JSON, and whether it has happened in all of a range of revenue.
    ///
    /// Nil if there is none, or if it has not happened in any of it.
    private func lockEvent(_ from: Int64, _ to: Int64?) -> (name: String, isCertain: Bool)? {
        guard let lock, let lockEvent, to.map({ $0 >= lock }) ?? true else { return nil }
        return (JSONText.quoted(lockEvent), from >= lock)
    }

    /// The coarse values with which the app may lock a window.
    private var coarseLocks: [String] {
        guard let lock else { return [] }
        return coarse.filter { $0.to.map { $0 >= lock } ?? true }.map { "{\"coarse\":\"\($0.name)\"}" }
    }

    /// The fine values with which the app may lock window 0.
    private var fineLocks: [String] {
        guard let lock else { return [] }
        let days = model == "revenue" ? 0...0 : 0...3
        let buckets = ranges.enumerated().filter { $0.element.to.map { $0 >= lock } ?? true }.map(\.offset)
        return days.flatMap { day in buckets.map { "{\"fine\":\(day << 4 | ($0 + 1))}" } }
    }

    /// The event of every purchase.
    static let purchaseEvent = "purchase"

    /// Says of an event that it need not have happened.
    private static let orNever = ",\"count\":{\"from\":0}"

    private static func purchase(_ from: Int64, _ to: Int64?, _ count: String = "") -> String {
        let end = to.map { ",\"to\":\(amount($0))" } ?? ""
        return "{\"name\":\"\(purchaseEvent)\",\"revenue\":{\"from\":\(amount(from))\(end)}\(count)}"
    }

    /// Cents as a number of dollars.
    private static func amount(_ cents: Int64) -> String {
        let rest = String(cents % 100)
        return "\(cents / 100)." + String(repeating: "0", count: 2 - rest.count) + rest
    }

    private static func array(_ elements: [String]) -> String { "[\(elements.joined(separator: ","))]" }

    private static func text(_ moment: Moment) -> String {
        Date(timeIntervalSince1970: TimeInterval(moment.milliseconds / 1_000)).formatted(Date.ISO8601FormatStyle())
    }
}
