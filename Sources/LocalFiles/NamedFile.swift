/// A file that an operator names in a setting or in another file.
///
/// Perhaps the secret itself was written where the name of its file belongs. So a message has the name only if there is
/// a file of this name.
package struct NamedFile: Sendable {
    /// What a name must be.
    package static let rule = "must be the name of a file, not the key or the secret itself"
    /// What a message has in place of a name that it must not show.
    package static let hidden = "the file that it names"

    /// The path of the file.
    package let path: String
    private let name: String

    /// Takes a name.
    ///
    /// - Parameter folder: Where a relative name begins; nil for the working folder.
    /// - Returns: nil if the text can't be a name: it is empty, has control characters such as a line end, or is PEM.
    package init?(_ name: String, in folder: String? = nil) {
        guard !name.isEmpty, !name.contains("-----BEGIN"), name.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            return nil
        }
        self.name = name
        if let folder, !name.hasPrefix("/") {
            path = folder + "/" + name
        } else {
            path = name
        }
    }

    /// The name, if there is a file of this name; a message may show it then.
    ///
    /// That the folder is there says nothing: a secret in base64 may begin with a slash.
    package var shown: String? { RegularFile.exists(path) ? name : nil }
}
