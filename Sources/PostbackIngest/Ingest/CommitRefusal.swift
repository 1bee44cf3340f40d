/// Why a commit queue did not take an item; nothing of the item is stored.
enum CommitRefusal: Error, Sendable {
    /// The lane's queue is full.
    case overloaded
    /// The service is stopping.
    case draining
}
