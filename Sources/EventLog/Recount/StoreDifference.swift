/// A column of a transaction of the App Store that differs from the bodies of its notifications.
package struct StoreDifference: Sendable, Equatable, CustomStringConvertible {
    /// `production`, `development` or `test`.
    package let environment: String
    /// Apple's id of the transaction.
    package let transactionID: String
    /// The column; `transaction_id` if there is no such row.
    package let field: String
    /// What the row has; nil for NULL.
    package let stored: String?
    /// What the newest body says; nil for NULL.
    package let recounted: String?

    /// One line: the row, the column, and both values.
    package var description: String {
        "store_transaction \(environment) \(transactionID) \(field): stored \(stored ?? "none"), body \(recounted ?? "none")"
    }
}
