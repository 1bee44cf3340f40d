import Forwarding
import PostbackService

extension SettingsReader {
    /// `FORWARDING`, `FORWARD_ALLOW_ADDRESSES` and `DEAD_LETTER_RETENTION_DAYS`.
    ///
    /// - Parameter keyRing: The folder of the key ring, in which the secrets of destinations are.
    mutating func forwarding(keyRing: String) -> ForwardingConfiguration {
        var forwarding = ForwardingConfiguration(secretsFolder: "\(keyRing)/\(SecretFiles.folderName)")
        let sends: Switch = choice(.forwarding) ?? .on
        forwarding.isOn = sends == .on
        if let text = text(.forwardAllowAddresses) {
            do {
                forwarding.addresses = try AddressRules(text)
            } catch {
                refuse(.forwardAllowAddresses, "\(error)")
            }
        }
        forwarding.deadLetterDays = deadLetterDays(forwarding.deadLetterDays)
        return forwarding
    }

    /// `DEAD_LETTER_RETENTION_DAYS`; nil stands for ever.
    private mutating func deadLetterDays(_ usual: Int32?) -> Int32? {
        guard let text = text(.deadLetterRetention) else { return usual }
        guard text != "never" else { return nil }
        guard let days = Int32(text), (1...36_500).contains(days) else {
            refuse(.deadLetterRetention, "must be an integer from 1 to 36500, or never, not \"\(text.prefix(60))\"")
            return usual
        }
        return days
    }
}
