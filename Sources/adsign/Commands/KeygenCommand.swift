import AdAttribution
import ArgumentParser

/// The subcommand `adsign keygen`.
struct KeygenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keygen",
        abstract: "Make a new key pair for an ad network.",
        discussion: """
            Writes the private key as PKCS#8 PEM with mode 0600, and never overwrites a file. Keep it secret: Apple gets \
            only the public key.

            Example:
              adsign keygen --out network.pem
            """)

    @Option(name: .long, help: ArgumentHelp("A new file for the private key.", valueName: "file"))
    var out: String

    @Option(
        name: .long,
        help: ArgumentHelp("A passphrase, under which the key is encrypted with AES-256.", valueName: "file"))
    var passphraseFile: String?

    @Option(name: .long, help: "The curve: p256 for a network; p192 for tests with postbacks up to 2.0.")
    var curve: Curve = .p256

    /// What `public-key` needs beside the key.
    private var opening: String { passphraseFile.map { " --passphrase-file \($0)" } ?? "" }

    func run() throws {
        let key: SigningKey
        do throws(KeyError) {
            key = try SigningKey.generate(curve)
        } catch {
            throw CommandError(.fault, "\(error)")
        }
        let passphrase = try passphraseFile.map(KeyFile.passphrase)
        let pem = passphrase.map { key.pem(encryptedWith: $0) } ?? key.pem
        guard !pem.isEmpty else { throw CommandError(.fault, "\(KeyError.unavailable)") }
        try KeyFile.create(out, pem, mode: 0o600)
        StandardStream.error("\(out): new private key (mode 0600); keep it secret and keep a copy")
        StandardStream.error(
            curve == .p256
                ? "Next: run adsign public-key --key \(out)\(opening), and register the public key with Apple for your ad network."
                : "A P-192 key is for simulated postbacks only: adsign simulate --key \(out) …")
    }
}
