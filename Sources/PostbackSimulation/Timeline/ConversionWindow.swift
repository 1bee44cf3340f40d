/// One of the three conversion windows of SKAdNetwork 4.0 and AdAttributionKit.
///
/// Source: Apple, "Receiving postbacks in multiple conversion windows".
struct ConversionWindow: Sendable {
    /// The postback sequence index, 0…2.
    let index: Int
    /// The window as times since the first launch, or since the open of a re-engagement.
    let range: Range<Milliseconds>
    /// The random delay between the end or the lock of the window and the postback.
    let delay: ClosedRange<Milliseconds>

    /// Days 0 to 2, 3 to 7 and 8 to 35.
    static let all = [
        ConversionWindow(index: 0, range: .days(0) ..< .days(2), delay: .hours(24) ... .hours(48)),
        ConversionWindow(index: 1, range: .days(2) ..< .days(7), delay: .hours(24) ... .hours(144)),
        ConversionWindow(index: 2, range: .days(7) ..< .days(35), delay: .hours(24) ... .hours(144)),
    ]

    /// What a window ends with.
    struct Outcome: Sendable {
        /// The last update that counts; nil if the app updated nothing.
        let value: ValueUpdate?
        /// When the app locked the window; nil if it did not.
        var lockedAt: Moment?
        /// When a re-engagement ended the window; nil if none did.
        var reengagedAt: Moment?
        /// The first of lock, re-engagement and end of the window: the system prepares the postback.
        var preparedAt: Moment

        /// The same if a re-engagement ends the conversion, if the window is still open then.
        ///
        /// The app has updated nothing after it. Source: Apple, "Receiving ad attributions and postbacks".
        func ended(by reengagement: Moment?) -> Outcome {
            guard let reengagement, reengagement < preparedAt else { return self }
            return Outcome(value: value, reengagedAt: reengagement, preparedAt: reengagement)
        }
    }

    /// Applies updates in the order of time.
    ///
    /// The last one counts, also if it is lower. After a lock the system ignores further updates in the window.
    func outcome(of updates: [ValueUpdate], launch: Moment) -> Outcome {
        let lock = updates.first { $0.locks }
        return Outcome(
            value: lock ?? updates.last, lockedAt: lock?.at, preparedAt: lock?.at ?? launch + range.upperBound)
    }
}
