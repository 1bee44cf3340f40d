import AdAttribution
import ArgumentParser

/// The subcommand `adsign verify`.
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify signed impressions with the network's public key.",
        discussion: """
            Reads what sign prints with any --format: json, storekit, openrtb or jws, also mixed. One object or compact JWS \
            a line, one object over several lines, or an array. An object without a version is an impression of 1.0. \
            Prints a line for each: {"line":1,"verdict":"valid"}. An object of OpenRTB is valid if the signature of each \
            fidelity is. The other verdicts, invalid_signature and malformed, have a "detail".
            The exit code is 0 if all are valid, 1 if a signature is not, and 65 if a record is not a signed impression.

            Example:
              adsign verify --public-key network.pub.pem impression.json
            """)

    @Option(
        name: .long,
        help: ArgumentHelp("The public key: PEM, or base64 as Apple prints its keys.", valueName: "file"))
    var publicKey: String

    @Flag(name: .long, help: "Show before each verdict what is signed, field by field.")
    var explain = false

    @Argument(help: "The impressions, or - for standard input.")
    var file = "-"

    func run() throws {
        let key = try KeyFile.verificationKey(publicKey, curves: [.p256])
        try Verdicts.run(on: file, "impression") { [explain] record, line, verdicts in
            do throws(ImpressionError) {
                let impressions = try AnySignedImpression.all(in: record)
                if explain { for impression in impressions { verdicts.append(impression.explanation) } }
                if let wrong = impressions.firstIndex(where: { !$0.isValid(under: key) }) {
                    // Only OpenRTB has more than one in a record.
                    let place = impressions.count > 1 ? "fidelities[\(wrong)]." : ""
                    verdicts.append(
                        .failed, line: line,
                        [("verdict", "invalid_signature"), ("detail", place + impressions[wrong].refusal)])
                } else {
                    verdicts.append(.valid, line: line, [("verdict", "valid")])
                }
            } catch {
                verdicts.append(
                    .malformed, line: line, [("verdict", "malformed"), ("detail", error.description)])
            }
        }
    }
}

extension AnySignedImpression {
    /// The text for a signature that does not verify.
    fileprivate var refusal: String {
        switch self {
        case .skAdNetwork(let signed):
            "signature: the key does not verify it over the signed fields of version \(signed.impression.version)"
        case .adAttributionKit: "jws-string: the key does not verify it"
        }
    }
}
