/// What somebody may do with the admin listener.
///
/// No scope includes another one.
package enum Scope: String, Sendable, CaseIterable {
    /// Reports, events and the page.
    case read
    /// Names of campaigns and apps, cost, rates and schemes: load them, and take loads back.
    case load
    /// Impressions and links of web ads.
    case sign
    /// Readers of the log, refused bodies, bodies of notifications, the trail, destinations of forwarding, and that files
    /// are read again.
    case operate

    /// What a name of a scope must be.
    package static let rule = "must be one of \(allCases.map(\.rawValue).joined(separator: ", "))"
}

extension Set<Scope> {
    /// All of them.
    package static let all = Set(Scope.allCases)

    /// The names with blanks between them, in the order of the scopes.
    package var text: String { Scope.allCases.filter(contains).map(\.rawValue).joined(separator: " ") }
}
