package import LocalFiles

/// The named tokens in force.
///
/// A ring of tokens never changes here. A reload replaces it as a whole.
package struct TokensInForce: Sendable {
    private let files: FileBacked<TokenRing>

    /// Reads the tokens.
    ///
    /// - Parameter read: Reads them, now and at each reload, and notes each file before it does.
    /// - Throws: What `read` throws.
    package init(read: @escaping @Sendable (inout FileStamps) throws -> TokenRing) throws {
        files = try FileBacked(read: read)
    }

    /// The present ones.
    package var ring: TokenRing { files.value }

    /// What reads them again.
    package var reloading: any Reloadable { files }
}
