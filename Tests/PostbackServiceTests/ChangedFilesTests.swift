import Access
import AdAttribution
import AuditTrail
import Foundation
import InMemoryLogging
import Logging
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@testable import AdminAPI
@testable import PostbackIngest
@testable import PostbackService

@Suite("Files that change while a server runs")
struct ChangedFilesTests {
    @Test("A changed key ring is in force without a signal; a bad one is logged once, and the old one stays")
    func noticed() async throws {
        try await OpenSSLCommand.withFolder { folder in
            func write(_ json: String) throws {
                try Data(json.utf8).write(to: folder.appending(path: "keyring.json"), options: .atomic)
            }
            try write("{}")
            let path = folder.path()
            let keyRing = try KeyRingInForce { try KeyRing(folder: path, noting: &$0) }
            let log = InMemoryLogHandler()
            let logger = Logger(label: "test") { _ in log }
            let tokens = try TokensInForce { _ in TokenRing() }
            let notes = Mutex<[String]>([])
            let files = ServerFiles(
                keyRing: keyRing.reloading, tokens: tokens.reloading, certificate: nil,
                adminCertificate: nil, logger: logger
            ) { subject, actor, counts in
                notes.withLock { $0.append("\(subject) by \(actor.origin) \(counts.map { $0.count })") }
            }
            let group = ServiceGroup(
                services: [ChangedFiles(files: files, interval: .milliseconds(20))], logger: .silent)
            async let running: Void = group.run()
            try write(#"{"networks": [{"ad-network-id": "com.example"}]}"#)
            try await eventually("the new one is in force") {
                keyRing.current.keyRing.networks.count == 1 ? true : nil
            }
            try write(#"{"networks": [{"ad-network-id": "com.example"}"#)
            try await eventually("the bad one is refused") { files.refusals.isEmpty ? nil : true }
            // Many intervals later it was still logged once.
            try await Task.sleep(for: .milliseconds(300))
            let errors = log.entries.filter { $0.level == .error }
            #expect(errors.map { "\($0.message)" } == ["key ring not replaced: the old one stays"])
            #expect(errors.first?.metadata["error"].map { "\($0)".contains("line ") } == true)
            #expect(keyRing.current.keyRing.networks.count == 1)
            try write("{}")
            try await eventually("the mended one is in force") {
                keyRing.current.keyRing.networks.isEmpty && files.refusals.isEmpty ? true : nil
            }
            await group.triggerGracefulShutdown()
            try await running
            #expect(
                Set(notes.withLock(\.self)) == [
                    "key ring by changed files [1, 0]", "key ring by changed files [0, 1]",
                ])
        }
    }
}
