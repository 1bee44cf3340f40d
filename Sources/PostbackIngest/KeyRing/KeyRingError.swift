/// Why a key ring can't be used: one line with the file, the member and the rule.
///
/// It contains no part of a key.
package struct KeyRingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The wrong file.
    package let file: String
    /// The wrong member of `keyring.json`; nil if the whole file is wrong.
    package let member: String?
    /// The rule that was broken.
    package let rule: String

    /// File, member and rule in one line.
    package var description: String {
        guard let member else { return "key ring: \(file): \(rule)" }
        return "key ring: \(file): \(member): \(rule)"
    }
}
