import AdAttribution
import ArgumentParser

/// The subcommand `adsign public-key`.
struct PublicKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "public-key",
        abstract: "Print the public key of a private key, in the form that Apple wants.",
        discussion: """
            Reads both PEM forms of a private key, SEC1 (BEGIN EC PRIVATE KEY) and PKCS#8 (BEGIN PRIVATE KEY), also \
            encrypted ones. Of a token it takes the public half of a private key there.

            Examples:
              adsign public-key --key network.pem --out network.pub.pem
              adsign public-key --key 'pkcs11:token=ads;object=example123' \\
                --passphrase-file pin.txt
            """)

    @OptionGroup(title: "The private key")
    var privateKey: PrivateKeyOptions

    @Option(
        name: .long,
        help: ArgumentHelp("A new file for the public key, instead of standard output.", valueName: "file"))
    var out: String?

    func run() throws {
        let pem = try privateKey.signingKey(curves: Curve.allCases).publicKey.pem
        guard !pem.isEmpty else { throw CommandError(.fault, "\(KeyError.unavailable)") }
        guard let out else { return try StandardStream.output(Array(pem.utf8)) }
        try KeyFile.create(out, pem, mode: 0o644)
    }
}
