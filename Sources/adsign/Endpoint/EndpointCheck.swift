import Foundation
import NIOCore
import NIOSSL

/// Checks one URL, step by step, until a step fails that the next one needs.
struct EndpointCheck: Sendable {
    let target: HTTPTarget
    let postback: TestPostback
    /// Which certificates are trusted; nil if the target is without TLS.
    let tls: NIOSSLContext?
    let timeout: TimeAmount

    /// An answer that takes longer than this is worth a look.
    private static let slow = 2.0
    /// A certificate that ends earlier than this is worth a look, in days.
    private static let soon = 14.0

    /// What was found, in the order of the steps.
    func run() async -> [EndpointFinding] {
        var findings = [scheme]
        if target.isTLS, target.port != 443 {
            findings.append(
                EndpointFinding(
                    .note, "port",
                    "\(target.port); devices send copies of postbacks to port 443 only, as far as is known"))
        }
        let clock = ContinuousClock()
        var start = clock.now
        let connection: HTTPConnection
        do {
            connection = try await HTTPConnection.open(target, tls: tls, timeout: timeout)
        } catch {
            return findings + [await refusal(error)]
        }
        findings.append(EndpointFinding(.ok, "connection", "in \(Self.text(clock.now - start))"))
        if target.isTLS { findings.append(await certificate(of: connection)) }
        start = clock.now
        do {
            let answer = try await connection.post(postback.body, timeout: timeout)
            findings.append(EndpointAnswer(answer, isKnown: postback.isKnown).finding)
            let seconds = (clock.now - start) / .seconds(1)
            let isSlow = seconds > Self.slow
            findings.append(
                EndpointFinding(
                    isSlow ? .note : .ok, "time",
                    "\(Self.text(clock.now - start)) from request to answer"
                        + (isSlow ? "; Apple does not say how long a device waits" : "")))
        } catch {
            findings.append(
                EndpointFinding(
                    .failed, "answer", HTTPError.sentence(for: error),
                    remedy: "look into the log of the server, and of any proxy in front of it"))
        }
        await connection.close()
        return findings
    }

    private var scheme: EndpointFinding {
        target.isTLS
            ? EndpointFinding(.ok, "scheme", "https")
            : EndpointFinding(
                .failed, "scheme", "http; Apple delivers over https only",
                remedy: "set TLS_CERTIFICATE_PATH and TLS_PRIVATE_KEY_PATH, or put a proxy with TLS in front")
    }

    private func certificate(of connection: HTTPConnection) async -> EndpointFinding {
        guard let facts = try? await connection.tlsFacts(), let certificate = facts.certificate else {
            return EndpointFinding(.ok, "certificate", "trusted")
        }
        let version = facts.version == .tlsv13 ? "TLS 1.3" : "TLS 1.2"
        let end = Date(timeIntervalSince1970: Double(certificate.notValidAfter))
        let text = "trusted, for this name, until \(Self.day(end)); \(version)"
        let days = end.timeIntervalSinceNow / 86_400
        guard days < Self.soon else { return EndpointFinding(.ok, "certificate", text) }
        return EndpointFinding(
            .note, "certificate", text, remedy: "renew it; the server reads the files again when they change")
    }

    /// Why there is no connection.
    private func refusal(_ error: any Error) async -> EndpointFinding {
        if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname {
            return EndpointFinding(
                .failed, "certificate", "it is not for \(target.host)",
                remedy: "use a certificate that has this name, or a URL with a name that the certificate has")
        }
        guard case NIOSSLError.handshakeFailed = error else {
            return EndpointFinding(
                .failed, "connection", HTTPError.sentence(for: error),
                remedy: "check the name, the port, the firewall, and whether the server listens there")
        }
        return await handshakeRefusal()
    }

    /// Asks again for the certificate, without trusting it, to say what is wrong with it.
    private func handshakeRefusal() async -> EndpointFinding {
        let unverified = try? await HTTPConnection.open(target, tls: TrustOptions.contextForAll(), timeout: timeout)
        let certificate = try? await unverified?.tlsFacts().certificate
        await unverified?.close()
        guard let certificate else {
            return EndpointFinding(
                .failed, "certificate", "the handshake of TLS fails",
                remedy: "offer TLS 1.2 or 1.3 on this port, with a certificate")
        }
        let now = Date()
        let begin = Date(timeIntervalSince1970: Double(certificate.notValidBefore))
        let end = Date(timeIntervalSince1970: Double(certificate.notValidAfter))
        if end < now {
            return EndpointFinding(.failed, "certificate", "it ended on \(Self.day(end))", remedy: "renew it")
        }
        if begin > now {
            return EndpointFinding(
                .failed, "certificate", "it begins on \(Self.day(begin))", remedy: "check the clocks, or wait")
        }
        return EndpointFinding(
            .failed, "certificate", "its chain leads to no trusted root",
            remedy: "send the whole chain, with the certificates of the issuers, of an authority that devices trust")
    }

    private static func day(_ date: Date) -> String {
        String(ISO8601DateFormatter().string(from: date).prefix(10))
    }

    private static func text(_ duration: Duration) -> String {
        String(format: "%.0f ms", duration / .milliseconds(1))
    }
}
