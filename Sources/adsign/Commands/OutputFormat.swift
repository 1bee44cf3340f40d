import ArgumentParser

/// The forms in which a signed impression can be written.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    /// The signed fields under Apple's wire names and the signature, one object a line.
    case json
}
