/// The clock of a conversion up to SKAdNetwork 3.0.
///
/// A timer of 24 hours begins with the first launch. A value that is strictly higher than the last one restarts it.
/// When it expires, the value is final, and the postback is sent after a random delay of up to 24 hours. Source: Apple,
/// "SKAdNetwork/updateConversionValue(_:)".
struct RollingTimer: Sendable {
    /// The length of the timer.
    static let length = Milliseconds.hours(24)
    /// The random delay after it.
    static let delay: ClosedRange<Milliseconds> = .hours(0) ... .hours(24)

    /// When the timer expires, if nothing restarts it.
    private(set) var expires: Moment
    /// The update that set the current value; nil if the app set none.
    private(set) var value: ValueUpdate?

    /// The timer begins.
    init(launch: Moment) {
        expires = launch + Self.length
    }

    /// The app updates the value.
    ///
    /// Updates must come in the order of time. After the timer has expired they have no effect.
    mutating func update(_ update: ValueUpdate) {
        guard update.at < expires, value.map({ update.fine > $0.fine }) ?? true else { return }
        value = update
        expires = update.at + Self.length
    }
}
