import Destinations
import Foundation
import NIOHTTP1
import NIOSSL
import PostbackStore
import ReceiverSupport
import TestSupport
import Testing

@testable import Forwarding

@Suite("Requests over TLS", .enabled("openssl is installed", OpenSSLCommand.isInstalled), .ownThread)
struct TLSDeliveryTests {
    /// A certificate that is its own issuer.
    private struct Certificate {
        let pem: String
        let context: NIOSSLContext

        /// Makes one for a name.
        static func make(for name: String, in folder: URL) async throws -> Certificate {
            let files = ["cert", "key"].map { folder.appending(path: "\(name).\($0).pem").path() }
            _ = try await OpenSSLCommand.output(
                of: [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                    "-keyout", files[1], "-out", files[0], "-subj", "/CN=\(name)",
                    "-addext", "subjectAltName=DNS:\(name)",
                ])
            let pem = try String(contentsOfFile: files[0], encoding: .utf8)
            let chain = try NIOSSLCertificate.fromPEMBytes(Array(pem.utf8)).map {
                NIOSSLCertificateSource.certificate($0)
            }
            let key = try NIOSSLPrivateKey(file: files[1], format: .pem)
            let configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain, privateKey: .privateKey(key))
            return Certificate(pem: pem, context: try NIOSSLContext(configuration: configuration))
        }

        /// The member of a destination's file that trusts it.
        var member: String {
            #""certificate-authority": "\#(pem.replacing("\n", with: "\\n"))""#
        }
    }

    /// Sends a request to a receiver with a certificate; `receiver.example` resolves to it.
    private func send(
        to receiver: TestReceiver, host: String = "receiver.example", _ members: String...
    ) async throws -> Result<DeliveryAnswer, DeliveryFailure> {
        let destination = try TestDestination.at(
            "https://\(host):\(receiver.port)/", members.first ?? "")
        let resolver = AddressResolver { _ in [IPAddress("127.0.0.1")].compactMap { $0 } }
        let client = DeliveryClient(
            destination: destination, rules: try AddressRules("127.0.0.1"), resolver: resolver)
        let request = try TestDestination.request(destination)
        let result: Result<DeliveryAnswer, DeliveryFailure>
        do throws(DeliveryFailure) {
            result = .success(try await client.send(request))
        } catch {
            result = .failure(error)
        }
        await client.close()
        return result
    }

    @Test("A certificate of an authority that the destination names is good, for the name in the URL")
    func ownAuthority() async throws {
        try await OpenSSLCommand.withFolder { folder in
            let certificate = try await Certificate.make(for: "receiver.example", in: folder)
            try await TestReceiver.with(certificate.context, react: { _, _ in .status(200) }) { receiver in
                let answer = try await send(to: receiver, certificate.member).get()
                #expect(answer.status == 200)
                #expect(receiver.requests.first?.headers["Host"] == ["receiver.example:\(receiver.port)"])
            }
        }
    }

    @Test("A certificate of an unknown authority is refused, and no request is sent")
    func unknownAuthority() async throws {
        try await OpenSSLCommand.withFolder { folder in
            let certificate = try await Certificate.make(for: "receiver.example", in: folder)
            let other = try await Certificate.make(for: "other.example", in: folder)
            try await TestReceiver.with(certificate.context, react: { _, _ in .status(200) }) { receiver in
                for member in ["", other.member] {
                    let result = try await send(to: receiver, member)
                    let failure = try #require(throws: DeliveryFailure.self) { try result.get() }
                    #expect(failure.reason.hasPrefix("TLS failed: "), "\(failure.reason)")
                }
                #expect(receiver.requests.isEmpty)
            }
        }
    }

    @Test("A certificate for another name is refused, though its authority is trusted")
    func otherName() async throws {
        try await OpenSSLCommand.withFolder { folder in
            let certificate = try await Certificate.make(for: "other.example", in: folder)
            try await TestReceiver.with(certificate.context, react: { _, _ in .status(200) }) { receiver in
                for host in ["receiver.example", "127.0.0.1"] {
                    let result = try await send(to: receiver, host: host, certificate.member)
                    let failure = try #require(throws: DeliveryFailure.self) { try result.get() }
                    #expect(failure.reason.hasPrefix("TLS failed: "), "\(failure.reason)")
                }
                #expect(receiver.requests.isEmpty)
            }
        }
    }

    @Test("A receiver without TLS behind https:// is a failure")
    func noTLS() async throws {
        try await TestReceiver.with(react: { _, _ in .status(200) }) { receiver in
            let result = try await send(to: receiver)
            #expect(throws: DeliveryFailure.self) { try result.get() }
            #expect(receiver.requests.isEmpty)
        }
    }
}
