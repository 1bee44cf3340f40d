import AdAttribution
import AppStoreData
import Foundation
import Testing

@Suite(
    "Root certificates of a file", .enabled(if: Tool.adsign != nil, "no adsign in TEST_BIN_DIR or beside the tests"))
struct RootCertificatesTests {
    private let folder: Scratch

    init() async throws {
        folder = try Scratch()
        _ = try await Tool.adsign("keygen", "--out", folder["key.pem"])
    }

    /// Nobody listens there: what is wrong with the file is said before.
    private func commands(_ scheme: String = "https") -> [[String]] {
        [
            ["check-endpoint", "\(scheme)://127.0.0.1:1"],
            ["check-endpoint", "\(scheme)://127.0.0.1:1/.well-known/skadnetwork/report-attribution/"],
        ]
    }

    private var delivery: [String] {
        [
            "simulate", "--seed", "1", "--count", "1", "--version", "4.0", "--key", folder["key.pem"], "--deliver",
            "https://127.0.0.1:1",
        ]
    }

    @Test("A file that can't be read has code 66, and one without certificates 65; there is no verdict")
    func unusable() async throws {
        try folder.write("empty.pem", "")
        try folder.write("text.pem", "hello\n")
        try folder.write("broken.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
        for command in commands() + commands("http") + [delivery] {
            for (name, code) in [("none.pem", Int32(66)), ("empty.pem", 65), ("text.pem", 65), ("broken.pem", 65)] {
                let result = try await Tool.run(command + ["--root-certificates", folder[name]])
                #expect(result.code == code, "\(command) \(name) \(result.errors)")
                #expect(result.output.isEmpty, "\(result.output)")
                #expect(result.errors.contains(folder[name]) && !result.errors.contains("Apple"), "\(result.errors)")
            }
        }
    }

    @Test("With a good file, an endpoint at which nobody listens has its verdict, and code 1")
    func usable() async throws {
        let signer = try StoreSigner.make(validFrom: 1_577_836_800, validTo: 1_893_456_000)
        let der = Data(signer.root.der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        try folder.write("root.pem", "-----BEGIN CERTIFICATE-----\n\(der)\n-----END CERTIFICATE-----\n")
        for command in commands() {
            let result = try await Tool.run(command + ["--root-certificates", folder["root.pem"]])
            #expect(result.code == 1)
            #expect(result.errors.hasPrefix("adsign: Apple could not deliver to "), "\(result.errors)")
        }
    }
}
