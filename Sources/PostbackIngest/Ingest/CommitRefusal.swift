/// Why a commit queue did not take an item; nothing of the item is stored.
enum CommitRefusal: Error, Sendable {
    /// As many items of this lane wait as the queue holds.
    case overloaded
    /// The service is stopping.
    case draining
}
