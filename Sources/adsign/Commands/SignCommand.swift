import AdAttribution
import ArgumentParser

/// The subcommand `adsign sign`.
struct SignCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Sign one ad impression, or a batch of them.",
        discussion: """
            Prints one line. With --format json: the signed fields with Apple's names, and the signature. With storekit: \
            what an app gives to StoreKit (for a view-through ad, the properties of SKAdImpression). With openrtb: \
            ext.skadn of a bid response, signed for both fidelity types if none is given. With jws: the compact JWS of an \
            AdAttributionKit impression; then --nonce is the impression identifier, --source-app-id the publisher item \
            identifier, and --itunes-item-id the advertised item identifier.

            Examples:
              adsign sign --key network.pem \\
                --ad-network-id example123.skadnetwork --source-identifier 5239 \\
                --itunes-item-id 525463029 --source-app-id 1234567891 \\
                --fidelity-type 1
              adsign sign --key network.pem --version 3.0 \\
                --ad-network-id example123.skadnetwork --campaign-id 42 \\
                --itunes-item-id 525463029 --source-app-id 1234567891 \\
                --format openrtb
              adsign sign --key network.pem --format jws \\
                --ad-network-id example123.adattributionkit --source-identifier 5239 \\
                --itunes-item-id 525463029 --source-app-id 1234567891 \\
                --eligible-for-re-engagement true

            --explain first shows what is signed: the fields in order, the signed string with visible separators, its \
            bytes, their SHA-256, and the signature. The usual line comes last.

            With --batch, each line of the input is an object with the same fields, and each line of the output is its \
            signed form, in the same order. Fields that a line does not have are taken from the options. For a wrong line, \
            {"line":N,"error":{"field":"…","rule":"…"}} is printed in its place and on standard error. The other lines \
            are signed, and the exit code is 65. A nonce of an earlier line and a given timestamp of more than 24 hours ago \
            are signed too, with {"line":N,"warning":{"field":"…","rule":"…"}} on standard error.

              adsign sign --batch --key network.pem \\
                --ad-network-id example123.skadnetwork \\
                --input impressions.ndjson > signed.ndjson
            """)

    @OptionGroup(title: "The network's private key, on P-256")
    var privateKey: PrivateKeyOptions

    @OptionGroup(title: "Impression")
    var impression: ImpressionOptions

    @Option(name: .long, help: "The form of the output.")
    var format: ImpressionFormat = .json

    @Flag(name: .long, help: "Show what is signed, field by field.")
    var explain = false

    @Flag(name: .long, help: "Sign each line of the input.")
    var batch = false

    @Option(name: .long, help: ArgumentHelp("The input for --batch; standard input by default.", valueName: "file"))
    var input: String?

    @Option(name: .long, help: "The number of threads for --batch; one for each core by default.")
    var threads: Int?

    func validate() throws {
        if !batch, input != nil { throw ValidationError("--input goes with --batch only.") }
        if !batch, threads != nil { throw ValidationError("--threads goes with --batch only.") }
        if batch, explain { throw ValidationError("--explain goes with one impression, not with --batch.") }
        if batch, impression.nonce != nil {
            throw ValidationError("--nonce can't be used with --batch: a nonce is for one impression only.")
        }
        if let threads, !(1...1_024).contains(threads) {
            throw ValidationError("--threads must be an integer from 1 to 1024, not \(threads).")
        }
    }

    func run() throws {
        let parameters: ImpressionParameters
        do throws(FieldError) {
            parameters = try impression.parameters()
        } catch {
            throw CommandError(option: error)
        }
        if batch {
            let signer = BatchSigner(key: try signingKey(), defaults: parameters, format: format)
            return try signer.run(on: input ?? "-", threads: threads)
        }
        let request: ImpressionRequest
        do throws(FieldError) {
            request = try ImpressionRequest(parameters, format: format)
        } catch {
            throw CommandError(option: error)
        }
        let key = try signingKey()
        let signed: SignedImpressionRequest
        do throws(KeyError) {
            signed = try request.signed(with: key)
        } catch {
            throw CommandError(.fault, "\(error)")
        }
        if explain {
            for explanation in signed.explanations { try StandardStream.output(line: "\(explanation)\n") }
        }
        try StandardStream.output(line: signed.text)
    }

    private func signingKey() throws -> SigningKey {
        try privateKey.signingKey(curves: [.p256])
    }
}
