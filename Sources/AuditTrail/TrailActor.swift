package import Access

/// Who does something, and from where.
package struct TrailActor: Sendable, Hashable, CustomStringConvertible {
    /// Who, such as `token ann` or `system user root`; nil if nobody knows.
    package let person: String?
    /// The name of the session of the page, eight hexadecimal digits; nil if there is none.
    package let session: String?
    /// An address, `unix`, `command line`, `tokens.json`, `SIGHUP` or `changed files`.
    package let origin: String

    /// Somebody on the page, or a program.
    ///
    /// - Parameter origin: The other end of the connection.
    package init(_ person: Caller.Person, session: String? = nil, from origin: String) {
        self.init(person: person.description, session: session, origin: origin)
    }

    /// A user of the machine on which a command runs.
    package static func systemUser(_ name: String) -> TrailActor {
        TrailActor(person: "system user \(name)", session: nil, origin: "command line")
    }

    /// Somebody whom nobody knows.
    package static func unknown(from origin: String) -> TrailActor {
        TrailActor(person: nil, session: nil, origin: origin)
    }

    init(person: String?, session: String?, origin: String) {
        // As the table takes them.
        self.person = person.map { String($0.unicodeScalars.prefix(200)) }
        self.session = session
        self.origin = origin
    }

    /// Who, as the list of loads says it: `session 0a1b2c3d of token ann`, `system user root`.
    package var description: String {
        let person = person ?? "somebody"
        return session.map { "session \($0) of \(person)" } ?? person
    }
}
