import AdAttribution
import AppStoreData
import ArgumentParser
import Foundation

/// The subcommand `adsign verify-jws`.
struct VerifyJWSCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify-jws",
        abstract: "Verify signed data of the App Store, and show what it says.",
        discussion: """
            Reads a notification, a transaction, renewal info or an app transaction: a JSON Web Signature in compact form, \
            or the body of a notification, {"signedPayload":"…"}. Checks the signature, and the certificates up to Apple's \
            root at the time when it was signed, without asking Apple. Signed data in a notification is checked too, and \
            what it says is shown in its place. It must be of the app and the environment of the notification.
            The first line says verdict: valid. The other verdicts are malformed, too_large, untrusted_chain, \
            invalid_signature, wrong_environment and unknown_app, with the reason as detail.
            The exit code is 0 if all of it is valid, 1 if it is not, and 65 if it is no signed data.

            Examples:
              adsign verify-jws --bundle-id com.example --app-id 1234 notification.json
              adsign verify-jws --format json - < transaction.jws
            """)

    @Option(
        name: .long, help: ArgumentHelp("The app that it must be of. Renewal info names none.", valueName: "id"))
    var bundleID: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The app's id in the App Store, compared in production only. Transactions have none.",
            valueName: "number"))
    var appID: Int64?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "One more root certificate, PEM or DER; can be repeated. What it stands behind counts as test.",
            valueName: "file"))
    var testRoot: [String] = []

    @Option(name: .long, help: "Lines for people, or one JSON object: text or json.")
    var format: PayloadReport.Format = .text

    @Argument(help: "The signed data, or - for standard input.")
    var file = "-"

    /// The most bytes of an input: signed data may be in a JSON object, with blanks around it.
    private static let largest = 2 * SignedDataVerifier.maximumBytes

    func run() throws {
        let roots = try testRoot.map(InputFile.certificate)
        let verifier = SignedDataVerifier(
            trust: StoreTrust(apps: [], sharedSecrets: [], testRoots: roots, accountKey: nil))
        guard let bytes = try InputFile.wholeBytes(of: file, atMost: Self.largest) else {
            return try PayloadReport(
                tooLarge: SignedDataError.Reason.tooLarge.rawValue, file, atMost: Self.largest
            ).finish(format)
        }
        let text = Self.trimmed(bytes)
        let report: PayloadReport
        do throws(SignedDataError) {
            let document = try SignedDocument(
                text, of: AskedApp(bundleID: bundleID, appID: appID), by: verifier,
                now: Int64(Date().timeIntervalSince1970 * 1_000))
            report = PayloadReport(environment: document.environment, kind: document.kind, payload: document.payload)
        } catch {
            report = PayloadReport(
                Self.outcome(error.reason), verdict: error.reason.rawValue, detail: error.description)
        }
        try report.finish(format)
    }

    private static func trimmed(_ text: [UInt8]) -> [UInt8] {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
        let start = text.drop(while: isBlank)
        return start.lastIndex { !isBlank($0) }.map { Array(start[...$0]) } ?? []
    }

    private static func outcome(_ reason: SignedDataError.Reason) -> Verdicts.Outcome {
        switch reason {
        case .malformed, .tooLarge: .malformed
        case .untrustedChain, .invalidSignature, .unknownApp, .wrongEnvironment, .wrongSecret: .failed
        }
    }
}
