import AdAttribution
import AppStoreData
import ArgumentParser
import Foundation

/// The subcommand `adsign verify-receipt`.
struct VerifyReceiptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify-receipt",
        abstract: "Verify the receipt of an app, and show what it says.",
        discussion: """
            Checks that the App Store signed the receipt, without asking it: the signature, and the certificates up to \
            Apple's root at the time when the receipt was made. The certificate may have expired since; all transactions \
            must be from before its end. Apple's root is the certificate with Apple's digest that the receipt carries. For \
            a receipt without it, download it from apple.com/certificateauthority and give it as --root.
            The receipt is base64, as apps send it, or DER. The first line says verdict: valid. The other verdicts are \
            malformed, too_large, invalid_signature, untrusted_chain, certificate_expired, wrong_environment, unknown_app \
            (another bundle id) and wrong_device, with the reason as detail.
            What Xcode signs itself is refused, unless --test-root is its certificate. Then the environment is test.
            The exit code is 0 if the receipt is valid, 1 if it is not, and 65 if it is no receipt.

            Examples:
              adsign verify-receipt --bundle-id com.example receipt.txt
              adsign verify-receipt --format json \\
                --device-id 956328D9-CC6A-47F4-BE40-6953FB0AB6C7 < receipt.txt
            """)

    @Option(name: .long, help: ArgumentHelp("The app whose receipt it must be.", valueName: "id"))
    var bundleID: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The device that it must have been made for: identifierForVendor of the app.", valueName: "uuid"))
    var deviceID: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Apple Inc. Root CA, PEM or DER, for receipts that do not carry it. Its digest is checked.",
            valueName: "file"))
    var root: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "One more root certificate, PEM or DER; can be repeated. Its receipts count as test.", valueName: "file"))
    var testRoot: [String] = []

    @Option(name: .long, help: "Lines for people, or one JSON object: text or json.")
    var format: PayloadReport.Format = .text

    @Argument(help: "The receipt, or - for standard input.")
    var file = "-"

    /// The bytes of the device's id, as they are hashed.
    private var deviceBytes: [UInt8]? {
        deviceID.flatMap { UUID(uuidString: $0) }.map { uuid in withUnsafeBytes(of: uuid.uuid) { Array($0) } }
    }

    func validate() throws {
        guard (deviceID == nil) == (deviceBytes == nil) else { throw ValidationError("--device-id must be a UUID.") }
    }

    func run() throws {
        let verifier = ReceiptVerifier(
            root: try root.map(InputFile.appleRoot), testRoots: try testRoot.map(InputFile.certificate))
        guard let text = try InputFile.wholeBytes(of: file, atMost: ReceiptText.maximumSize) else {
            return try PayloadReport(
                tooLarge: ReceiptRejection.Reason.tooLarge.rawValue, file, atMost: ReceiptText.maximumSize
            ).finish(format)
        }
        let report: PayloadReport
        do throws(ReceiptRejection) {
            // What is not base64 is refused as no bytes at all.
            let verified = try verifier.verify(
                ReceiptText.message(text) ?? [], bundleID: bundleID, deviceID: deviceBytes)
            report = PayloadReport(
                environment: verified.environment, kind: "receipt", payload: verified.receipt.document)
        } catch {
            report = PayloadReport(
                Self.outcome(error.reason), verdict: error.reason.rawValue, detail: error.description)
        }
        try report.finish(format)
    }

    private static func outcome(_ reason: ReceiptRejection.Reason) -> Verdicts.Outcome {
        switch reason {
        case .malformed, .tooLarge: .malformed
        case .invalidSignature, .untrustedChain, .certificateExpired, .wrongEnvironment, .unknownApp, .wrongDevice:
            .failed
        }
    }
}
