import AdAttribution
import ArgumentParser
import NIOCore
import PostbackSimulation

/// The subcommand `adsign check-endpoint`.
struct CheckEndpointCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-endpoint",
        abstract: "Check whether Apple could deliver postbacks to a URL.",
        discussion: """
            Give the URL that is registered with Apple, or a domain alone (https://example.com): then both URLs are checked \
            to which devices send copies. Prints a line for each check, and for a failed one how to mend it: scheme, \
            connection, certificate and its chain, answer, time. The chain must lead to a root that the system knows; \
            Apple's devices have their own list, which is nearly the same.

            A test postback is sent. It never counts as production. With --key, a test key of the server's key ring, the \
            server must accept it, and counts it as test. Without, it is signed with a key that nobody knows: a \
            PostbackServer refuses it and keeps it in its quarantine, which shows that postbacks arrive.
            Apple does not say how it treats redirects, so a redirect is a failure.

            The exit code is 0 if Apple could deliver, and 1 if not. It is 65 or 66, without a verdict, if the \
            file of an option is of no use.

            Examples:
              adsign check-endpoint \\
                https://example.com/.well-known/skadnetwork/report-attribution/
              adsign check-endpoint https://example.com --key keys/load-test-p256.pem \\
                --ad-network-id example123.skadnetwork
            """)

    @Argument(help: "The URL.", transform: HTTPTarget.init(option:))
    var url: HTTPTarget

    @Option(
        name: .long,
        help: ArgumentHelp("A test key of the server's key ring, on P-256 in PEM form.", valueName: "file"))
    var key: String?

    @Option(name: .long, help: "The key's name in the key ring, for AdAttributionKit; the file's name by default.")
    var keyName: String?

    @Option(name: .long, help: "A network of the key ring.")
    var adNetworkID = "example123.skadnetwork"

    @Option(name: .long, help: "How many seconds each step may take: 1 to 120.")
    var timeout = 10

    @OptionGroup
    var trust: TrustOptions

    func validate() throws {
        guard (1...120).contains(timeout) else {
            throw ValidationError("--timeout must be an integer from 1 to 120, not \(timeout).")
        }
        if key == nil, keyName != nil { throw ValidationError("--key-name goes with --key only.") }
    }

    func run() async throws {
        // First of all: what is wrong with our own file says nothing about the endpoint.
        let needsTLS = url.isTLS || trust.rootCertificates != nil
        let tls = needsTLS ? try trust.context() : nil
        let targets = url.isDomain ? CopyPath.allCases.map { url.at(path: $0.rawValue) } : [url]
        var failed = 0
        for target in targets {
            if url.isDomain { try StandardStream.output(line: "\(target)") }
            let postback = try TestPostback(
                keyPath: key, keyName: keyName, network: adNetworkID, isAdAttributionKit: target.isForAdAttributionKit)
            let check = EndpointCheck(
                target: target, postback: postback, tls: target.isTLS ? tls : nil, timeout: .seconds(Int64(timeout)))
            let findings = await check.run()
            for finding in findings { for line in finding.lines { try StandardStream.output(line: line) } }
            if findings.contains(where: { $0.state == .failed }) { failed += 1 }
        }
        guard failed == 0 else { throw CommandError(.verification, "Apple could not deliver to \(url)") }
        let condition = trust.rootCertificates.map { ", if it trusted the roots of \($0)" } ?? ""
        try StandardStream.output(line: "Apple could deliver to \(url)\(condition)")
    }
}
