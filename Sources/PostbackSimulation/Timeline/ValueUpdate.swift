package import AdAttribution

/// One call by which an app updates the conversion value.
package struct ValueUpdate: Sendable {
    /// When the app called.
    package let at: Moment
    /// The place of the model that the app used.
    package let era: Int
    /// The fine value.
    package let fine: ConversionValue
    /// The coarse value.
    package let coarse: CoarseConversionValue
    /// Whether the call locks the window.
    package let locks: Bool
    /// What the user had paid since the window began, in cents.
    package let revenue: Int64
}

extension UserActivity {
    /// The updates of an app in a conversion window: at each open and each purchase.
    ///
    /// - Parameters:
    ///   - window: The window as times since the launch.
    ///   - launch: The first launch, or the open of a re-engagement.
    ///   - measures: Whether the app stops at the end of its model's measurement window.
    func updates(
        in window: Range<Milliseconds>, launch: Moment, models: AppModels, measures: Bool
    ) -> [ValueUpdate] {
        var revenue: Int64 = 0
        var updates: [ValueUpdate] = []
        for event in events where window.contains(event.at) {
            revenue += event.cents
            let at = launch + event.at
            let era = models.era(at: at)
            let model = models.eras[era].model
            guard !measures || event.at < model.measurementWindow else { continue }
            let state = UserState(sinceLaunch: event.at, revenue: revenue)
            updates.append(
                ValueUpdate(
                    at: at, era: era, fine: model.fine(state), coarse: model.coarse(state), locks: model.locks(state),
                    revenue: revenue))
        }
        return updates
    }
}
