/// Why a key ring can't be used, in one line that names the file, the member and the rule, and no key.
package struct KeyRingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file at fault.
    package let file: String
    /// The member of `keyring.json` at fault, or nil where it is the whole file.
    package let member: String?
    /// The rule that was broken.
    package let rule: String

    /// File, member and rule in one line.
    package var description: String {
        guard let member else { return "key ring: \(file): \(rule)" }
        return "key ring: \(file): \(member): \(rule)"
    }
}
