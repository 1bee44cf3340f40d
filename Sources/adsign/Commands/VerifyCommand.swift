import AdAttribution
import ArgumentParser

/// The subcommand `adsign verify`.
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify signed impressions under the network's public key.",
        discussion: """
            Reads the JSON that sign prints: one object a line, one object over several lines, or an array. Prints a \
            line for each: {"line":1,"verdict":"valid"}; the other verdicts, invalid_signature and malformed, have a \
            "detail".
            Exits with 0 if all are valid, 1 if a signature is not, 65 if something is no signed impression.

            Example:
              adsign verify --public-key network.pub.pem impression.json
            """)

    @Option(
        name: .long,
        help: ArgumentHelp("The public key: PEM, or base64 as Apple prints its keys.", valueName: "file"))
    var publicKey: String

    @Argument(help: "The impressions, or - for standard input.")
    var file = "-"

    func run() throws {
        let key = try KeyFile.verificationKey(publicKey, curves: [.p256])
        try Verdicts.run(on: file, "impression") { record, line, verdicts in
            do throws(ImpressionError) {
                let impression = try SignedImpression(json: record)
                if impression.isValid(under: key) {
                    verdicts.append(.valid, line: line, [("verdict", "valid")])
                } else {
                    let version = impression.impression.version
                    let detail = "signature: the key does not verify it over the signed fields of version \(version)"
                    verdicts.append(
                        .failed, line: line, [("verdict", "invalid_signature"), ("detail", detail)])
                }
            } catch {
                verdicts.append(
                    .malformed, line: line, [("verdict", "malformed"), ("detail", error.description)])
            }
        }
    }
}
