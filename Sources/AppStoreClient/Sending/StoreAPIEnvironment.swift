/// The two servers of Apple's App Store Server API: customers' purchases, and those of testers.
package enum StoreAPIEnvironment: String, Sendable, Hashable, CaseIterable {
    case production
    case sandbox

    /// The number of days that Apple keeps its history of notifications (Apple, "Get Notification History").
    package var historyDays: Int32 { self == .production ? 180 : 30 }
}
