package import AdAttribution
import Foundation
package import Testing

/// A token of SoftHSM in a folder of its own, with one private key: a hardware module made of software.
///
/// A program reaches it by libcrypto's engine for PKCS #11.
package struct SoftToken: Sendable {
    /// The PIN of the token.
    package static let pin = "token-pin-1234"
    /// The private key in the token.
    package static let uri = "pkcs11:token=ads;object=example123"

    private static let tool = "/usr/bin/softhsm2-util"
    private static let module = "/usr/lib/softhsm/libsofthsm2.so"

    /// Whether SoftHSM and the engine are installed.
    package static let isInstalled: Bool = {
        let files = FileManager.default
        let engines = (try? files.contentsOfDirectory(atPath: "/usr/lib"))?.map { "/usr/lib/\($0)/engines-3/pkcs11.so" }
        return files.isExecutableFile(atPath: tool) && files.fileExists(atPath: module)
            && engines?.contains { files.fileExists(atPath: $0) } == true
    }()
    /// Why tests with a token are skipped.
    package static let reason: Comment =
        "needs softhsm2 and libengine-pkcs11-openssl, which scripts/setup.sh installs"

    /// What a program needs in its environment.
    package let environment: [String: String]
    /// The file with the PIN.
    package let pinFile: String

    /// Makes a token in a folder, and puts a key there.
    package static func create(in folder: String, with key: SigningKey) async throws -> SoftToken {
        let own = folder + "/softhsm"
        try FileManager.default.createDirectory(atPath: own + "/tokens", withIntermediateDirectories: true)
        func write(_ text: String, to file: String) throws {
            try Data(text.utf8).write(to: URL(filePath: own + file))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: own + file)
        }
        try write("directories.tokendir = \(own)/tokens\nlog.level = ERROR\n", to: "/softhsm2.conf")
        try write(pin + "\n", to: "/pin.txt")
        try write(key.pem, to: "/import.pem")
        let environment = ["SOFTHSM2_CONF": own + "/softhsm2.conf", "PKCS11_MODULE_PATH": module]
        for arguments in [
            ["--init-token", "--free", "--label", "ads", "--so-pin", "so-pin-5678", "--pin", pin],
            [
                "--import", own + "/import.pem", "--token", "ads", "--label", "example123", "--id", "01", "--pin", pin,
            ],
        ] {
            let result = try await ChildProcess.run(tool, arguments, environment: environment)
            try #require(result.code == 0, "softhsm2-util: \(String(decoding: result.errors, as: UTF8.self))")
        }
        // From here on the key is in the token only.
        try FileManager.default.removeItem(atPath: own + "/import.pem")
        return SoftToken(environment: environment, pinFile: own + "/pin.txt")
    }
}
