import AdAttribution
import ArgumentParser

/// The private key of a network: where it is, and what opens it.
struct PrivateKeyOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The private key: a file in PEM form, or a pkcs11: URI of a token (keys.example/README.md).",
            valueName: "file|uri"))
    var key: String

    @Option(
        name: .long,
        help: ArgumentHelp("The passphrase of an encrypted key, or the PIN of a token.", valueName: "file"))
    var passphraseFile: String?

    /// Reads the key.
    ///
    /// - Parameter curves: The curves that are accepted.
    func signingKey(curves: [Curve]) throws -> SigningKey {
        let passphrase = try passphraseFile.map(KeyFile.passphrase)
        switch PrivateKeyLocation(key) {
        case nil: throw CommandError(.usage, "key: \(TokenKeyURI.rule)")
        case .file(let path)?: return try KeyFile.signingKey(path, passphrase: passphrase, curves: curves)
        case .token(let uri)?:
            return try KeyFile.signingKey(named: "the key of the token", curves) { (curve) throws(KeyError) in
                try SigningKey(uri, pin: passphrase, curve: curve)
            }
        }
    }
}
