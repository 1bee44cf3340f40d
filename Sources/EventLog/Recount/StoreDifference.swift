/// A column of a transaction or a renewal of the App Store that differs from the bodies of its notifications.
package struct StoreDifference: Sendable, Equatable, CustomStringConvertible {
    /// `production`, `development` or `test`.
    package let environment: String
    /// Apple's id of the transaction; for a renewal that of the subscription, its original transaction.
    package let transactionID: String
    /// The column, for a renewal behind `renewal.`; that of the id if there is no such row.
    package let field: String
    /// What the row has; nil for NULL.
    package let stored: String?
    /// What the newest body says; nil for NULL.
    package let recounted: String?

    /// One line: the row, the column, and both values.
    package var description: String {
        let isOfRenewal = field.hasPrefix("renewal.")
        let row = (isOfRenewal ? "store_renewal" : "store_transaction") + " \(environment) \(transactionID)"
        let column = isOfRenewal ? field.dropFirst("renewal.".count) : field[...]
        return "\(row) \(column): stored \(stored ?? "none"), body \(recounted ?? "none")"
    }
}
