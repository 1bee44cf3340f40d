import HTTPListener
import PostbackService

/// The words of a setting that is on or off.
enum Switch: String, CaseIterable {
    case on
    case off
}

extension SettingsReader {
    /// Refuses that both listeners are at one place, where the second one could not begin.
    mutating func checkPlaces(
        _ http: ServiceConfiguration.ListenerAddress, _ admin: ServiceConfiguration.ListenerAddress
    ) {
        // With port 0 each gets one of its own.
        guard http.port == admin.port, http.port != 0, Self.share(http.host, admin.host) else { return }
        refuse(
            .adminPort,
            "must not be \(admin.port), which is \(Settings.Key.httpPort.environmentName), on the same host")
    }

    /// Whether one port can't be taken at both hosts.
    private static func share(_ one: String, _ other: String) -> Bool {
        func isAll(_ host: String, of other: String) -> Bool {
            host == "0.0.0.0" && !other.contains(":") || host == "::" && other.contains(":")
        }
        return one == other || isAll(one, of: other) || isAll(other, of: one)
    }

    /// `ADMIN_TLS_CERTIFICATE_PATH` and `ADMIN_TLS_PRIVATE_KEY_PATH`, both or neither; and `ADMIN_ALLOW_PLAINTEXT`.
    ///
    /// Tokens and cookies cross the network in each request. So without TLS the admin listener may only be where no
    /// network is, unless somebody says by this name that the network is safe.
    ///
    /// - Parameter address: `ADMIN_HOST`.
    mutating func adminCertificate(at address: ServiceConfiguration.ListenerAddress) -> CertificateFiles? {
        let files = certificate(.adminCertificatePath, .adminPrivateKeyPath)
        let plaintext: Switch = choice(.adminAllowsPlaintext) ?? .off
        let keys: [Settings.Key] = [.adminCertificatePath, .adminPrivateKeyPath, .adminAllowsPlaintext]
        // What is wrong with these is said already.
        let areGood = keys.allSatisfy { !isRefused($0) }
        if files == nil, plaintext == .off, areGood, !address.isLoopback {
            let names = keys.map(\.environmentName)
            refuse(
                .adminHost,
                "without TLS it must be a loopback address, such as 127.0.0.1 or ::1. Set \(names[0]) and \(names[1]); or, "
                    + "if the network is safe, \(names[2])=on")
        }
        return files
    }
}
