/// A token that this server exchanges now; until its lease is over, no other server does.
struct ClaimedToken: Sendable, CustomStringConvertible, CustomReflectable {
    let digest: [UInt8]
    let text: String
    /// How often it was sent to Apple, with this time.
    let attempts: Int32
    /// How often Apple did not know it.
    let misses: Int16

    /// Says only that there is one.
    var description: String { "a token of Apple Ads" }

    /// Shows nothing of it.
    var customMirror: Mirror { Mirror(self, children: []) }
}
