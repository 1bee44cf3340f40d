package import Forwarding

/// What the service needs to know to forward postbacks to destinations.
package struct ForwardingConfiguration: Sendable {
    /// Whether this server sends; if it does not, other servers may.
    package var isOn = true
    /// The destinations that are not public, and may be reached all the same: none.
    package var addresses = AddressRules.publicOnly
    /// The folder of the secrets that destinations name.
    package let secretsFolder: String
    /// The secrets of this folder.
    package var secrets: SecretFiles { SecretFiles(folder: secretsFolder) }
    /// How many days a delivery stays that failed for good; nil for ever.
    package var deadLetterDays: Int32? = 30

    /// The defaults, with secrets in this folder.
    package init(secretsFolder: String = "keys/\(SecretFiles.folderName)") {
        self.secretsFolder = secretsFolder
    }
}
