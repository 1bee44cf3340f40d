/// A page of a customer's transactions: at most twenty.
package struct TransactionHistoryPage: StoreAPIPage, Equatable {
    /// The transactions, each a JWS, the oldest change first.
    package let signedTransactions: [String]
    /// The app.
    package let bundleID: String?
    /// The environment in Apple's word.
    package let environment: String?
    package let next: String?

    init(_ answer: AnswerObject) throws(StoreAPIError) {
        signedTransactions = try answer.texts("signedTransactions")
        bundleID = try answer.text("bundleId")
        environment = try answer.text("environment")
        next = try answer.flag("hasMore") ? try answer.token("revision") : nil
        if try answer.flag("hasMore"), next == nil {
            throw StoreAPIError(.unreadable, "answer.revision is missing, but there are more pages")
        }
    }
}
