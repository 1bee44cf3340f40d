/// How many tokens of Apple Ads wait to be exchanged, and since when.
package struct AppleAdsBacklog: Sendable, Equatable {
    /// How many wait.
    package let waiting: Int64
    /// For how long the oldest of them does; 0 if none does.
    package let oldestSeconds: Double
}
