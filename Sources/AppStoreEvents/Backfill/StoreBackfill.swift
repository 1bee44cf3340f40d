package import PostgresClient

/// A time of Apple's history of notifications that is asked for, of one app and environment.
package struct StoreBackfill: Sendable, Hashable {
    /// The app.
    package let bundleID: String
    /// The environment in the word of the API's client.
    package let environment: String
    /// The first UTC day.
    package let from: PostgresDate
    /// The last UTC day, included.
    package let to: PostgresDate

    /// Takes all four.
    package init(bundleID: String, environment: String, from: PostgresDate, to: PostgresDate) {
        self.bundleID = bundleID
        self.environment = environment
        self.from = from
        self.to = to
    }

    /// How far it is.
    package struct Place: Sendable, Equatable {
        /// What the next page is asked for by; nil for the first page.
        package let token: String?
        /// How many pages are stored.
        package let pages: Int64

        /// The beginning.
        package static let beginning = Place(token: nil, pages: 0)

        /// Takes both.
        package init(token: String?, pages: Int64) {
            self.token = token
            self.pages = pages
        }
    }

    var bindings: PostgresBindings {
        var bindings = PostgresBindings()
        bindings.append(bundleID)
        bindings.append(environment)
        bindings.append(date: from)
        bindings.append(date: to)
        return bindings
    }
}
