import DatabaseSchema

/// The rights that `PostbackServer grants --read` gives to analysts.
package enum AnalystRights {
    /// The statements for a role.
    package static func script(for role: String) throws -> String { try GrantScript([.read: role]).text }
}
