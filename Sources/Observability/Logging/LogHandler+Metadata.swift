import Logging

extension LogHandler {
    /// Metadata of the handler, of the provider and of the event.
    ///
    /// They are merged in this order, and a later value replaces an earlier one.
    func merged(with explicit: Logger.Metadata?) -> Logger.Metadata {
        var merged = metadata
        if let provided = metadataProvider?.get() {
            merged.merge(provided) { _, later in later }
        }
        if let explicit {
            merged.merge(explicit) { _, later in later }
        }
        return merged
    }
}
