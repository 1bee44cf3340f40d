import Encodings
import NIOHTTP1

extension StoreAPIClient {
    /// Asks for a TEST notification ("Request a Test Notification").
    ///
    /// - Returns: What its status is asked for by.
    package func requestTestNotification() async throws(StoreAPIError) -> String {
        try await send(.POST, "/inApps/v1/notifications/test").required("testNotificationToken")
    }

    /// How a TEST notification was delivered ("Get Test Notification Status").
    ///
    /// - Throws: An error that `isTestMissing` if Apple does not know it yet.
    package func testNotificationStatus(_ token: String) async throws(StoreAPIError) -> TestNotificationStatus {
        try TestNotificationStatus(await send(.GET, "/inApps/v1/notifications/test/\(PercentEncoding.text(token))"))
    }

    /// A page of the notifications that Apple sent, or tried to ("Get Notification History").
    ///
    /// - Parameter token: The `next` of the page before; nil for the first page.
    package func notificationHistory(
        _ query: NotificationHistoryQuery, after token: String? = nil
    ) async throws(StoreAPIError) -> NotificationHistoryPage {
        let parameters = token.map { [(name: "paginationToken", value: $0)] } ?? []
        return try NotificationHistoryPage(
            await send(.POST, "/inApps/v1/notifications/history", parameters, body: query.body))
    }

    /// A page of a customer's transactions, the oldest change first ("Get Transaction History").
    ///
    /// - Parameters:
    ///   - transactionID: Any transaction of the customer.
    ///   - revision: The `next` of the page before; nil for the first page.
    package func transactionHistory(
        of transactionID: String, after revision: String? = nil
    ) async throws(StoreAPIError) -> TransactionHistoryPage {
        let parameters = revision.map { [(name: "revision", value: $0)] } ?? []
        return try TransactionHistoryPage(
            await send(.GET, "/inApps/v2/history/\(PercentEncoding.text(transactionID))", parameters))
    }

    /// A customer's subscriptions as they are now ("Get All Subscription Statuses").
    ///
    /// - Parameter transactionID: Any transaction of the customer.
    package func subscriptionStatuses(of transactionID: String) async throws(StoreAPIError) -> SubscriptionStatuses {
        try SubscriptionStatuses(await send(.GET, "/inApps/v1/subscriptions/\(PercentEncoding.text(transactionID))"))
    }

    /// All pages of `notificationHistory`.
    ///
    /// - Parameter token: Where an earlier reading was; nil for the beginning.
    package nonisolated func notificationPages(
        _ query: NotificationHistoryQuery, after token: String? = nil
    ) -> StoreAPIPages<NotificationHistoryPage> {
        StoreAPIPages(after: token) { (token: String?) async throws(StoreAPIError) -> NotificationHistoryPage in
            try await self.notificationHistory(query, after: token)
        }
    }

    /// All pages of `transactionHistory`.
    package nonisolated func transactionPages(of transactionID: String) -> StoreAPIPages<TransactionHistoryPage> {
        StoreAPIPages(after: nil) { (revision: String?) async throws(StoreAPIError) -> TransactionHistoryPage in
            try await self.transactionHistory(of: transactionID, after: revision)
        }
    }
}
