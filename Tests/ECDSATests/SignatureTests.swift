import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ECDSA

/// Signing and verifying: the round trip, what breaks it, and many threads at one key.
@Suite("Signatures")
struct SignatureTests {
    @Test(
        "The package key verifies what the private key signs, also empty and long messages", arguments: Curve.allCases)
    func roundTrip(_ curve: Curve) throws {
        let key = try SigningKey.generate(curve)
        #expect(key.curve == curve)
        #expect(key.publicKey.curve == curve)
        for message in [[], [0], Array("4.0\u{2063}com.example".utf8), [UInt8](repeating: 0xA5, count: 100_000)] {
            let signature = try key.signature(of: message)
            #expect(signature.count <= (curve == .p192 ? 56 : 72))
            #expect(key.publicKey.isValid(signature: signature, for: message))
            #expect(!key.publicKey.isValid(signature: signature, for: message + [0]))
        }
    }

    @Test("Another key, a changed byte, a shorter or a longer signature do not verify", arguments: Curve.allCases)
    func broken(_ curve: Curve) throws {
        let key = try SigningKey.generate(curve)
        let message = Array("message".utf8)
        let signature = try key.signature(of: message)
        #expect(try !SigningKey.generate(curve).publicKey.isValid(signature: signature, for: message))
        #expect(!key.publicKey.isValid(signature: [], for: message))
        #expect(!key.publicKey.isValid(signature: signature + [0], for: message))
        for index in signature.indices {
            var changed = signature
            changed[index] ^= 1
            #expect(!key.publicKey.isValid(signature: changed, for: message))
            #expect(!key.publicKey.isValid(signature: Array(signature.prefix(index)), for: message))
        }
    }

    @Test("A key on one curve refuses the signature of a key on the other")
    func otherCurve() throws {
        let p192 = try SigningKey.generate(.p192)
        let p256 = try SigningKey.generate(.p256)
        let message = Array("message".utf8)
        #expect(try !p192.publicKey.isValid(signature: p256.signature(of: message), for: message))
        #expect(try !p256.publicKey.isValid(signature: p192.signature(of: message), for: message))
    }

    @Test("A refused signature does not change the verdict on the next one")
    func refusalThenGood() throws {
        let key = try SigningKey.generate()
        let signature = try key.signature(of: [1])
        for _ in 0..<50 {
            #expect(!key.publicKey.isValid(signature: [0x30, 0x00], for: [1]))
            #expect(throws: KeyError.unreadable) { try VerificationKey("no key") }
            #expect(key.publicKey.isValid(signature: signature, for: [1]))
        }
    }

    @Test("One key signs and verifies on eight threads at once", arguments: Curve.allCases)
    func threads(_ curve: Curve) throws {
        let key = try SigningKey.generate(curve)
        let tally = Tally()
        let group = DispatchGroup()
        for number in 0..<8 as Range<UInt8> {
            group.enter()
            // Threads of their own, since the pools have no more than there are cores.
            Thread.detachNewThread {
                for round in 0..<40 as Range<UInt8> {
                    let message = [number, round]
                    guard let signature = try? key.signature(of: message) else { continue }
                    let good = key.publicKey.isValid(signature: signature, for: message)
                    let bad = key.publicKey.isValid(signature: signature, for: [number, round, 0])
                    if good && !bad { tally.good.add(1, ordering: .relaxed) }
                }
                group.leave()
            }
        }
        group.wait()
        #expect(tally.good.load(ordering: .relaxed) == 8 * 40)
    }

    private final class Tally: Sendable {
        let good = Atomic(0)
    }

    @Test(
        "`openssl dgst -verify` accepts what a key signs, and a key verifies what `openssl dgst -sign` made",
        .enabled("the openssl command is not installed", OpenSSLCommand.isInstalled), arguments: Curve.allCases)
    func command(_ curve: Curve) async throws {
        let key = try SigningKey.generate(curve)
        let message = Array("4.0\u{2063}com.example\u{2063}1234".utf8)
        try await OpenSSLCommand.withFolder { folder in
            try Data(message).write(to: folder.appending(path: "message"))
            try Data(key.pem.utf8).write(to: folder.appending(path: "key.pem"))
            try Data(key.publicKey.pem.utf8).write(to: folder.appending(path: "key.pub.pem"))
            for _ in 0..<4 {
                try Data(key.signature(of: message)).write(to: folder.appending(path: "ours.der"))
                let verify = ["dgst", "-sha256", "-verify", "key.pub.pem", "-signature", "ours.der", "message"]
                #expect(try await OpenSSLCommand.output(of: verify, in: folder) == "Verified OK\n")
                let sign = ["dgst", "-sha256", "-sign", "key.pem", "-out", "theirs.der", "message"]
                _ = try await OpenSSLCommand.output(of: sign, in: folder)
                let theirs = Array(try Data(contentsOf: folder.appending(path: "theirs.der")))
                #expect(key.publicKey.isValid(signature: theirs, for: message))
            }
        }
    }
}
