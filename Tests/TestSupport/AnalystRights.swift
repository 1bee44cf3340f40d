import Testing

/// The rights that `docs/sql.md` gives to analysts, as they stand there.
package enum AnalystRights {
    /// The statements of the document, for a role.
    package static func script(for role: String) throws -> String {
        let text = String(decoding: try TestEnvironment.file("docs/sql.md"), as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let first = try #require(lines.firstIndex { $0.hasPrefix("    GRANT USAGE ON SCHEMA attribution") })
        let block = lines[first...].prefix { $0.isEmpty || $0.hasPrefix("    ") }
        return block.joined(separator: "\n").replacing(/\banalyst\b/, with: role)
    }
}
