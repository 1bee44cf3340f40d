/// How much may wait for a commit, and how long.
package struct QueueLimits: Sendable {
    /// The most postbacks of one batch.
    package var maximumBatch = 500
    /// How many postbacks may wait for a batch, divided evenly among the lanes; more are answered 503.
    package var capacity = 10_000
    /// How long a postback may wait for its commit; then it is answered 503, or 500 for AdAttributionKit.
    package var deadline = Duration.seconds(5)

    /// The defaults.
    package init() {}
}
