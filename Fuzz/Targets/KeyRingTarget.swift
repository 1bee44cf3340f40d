import AdAttribution
import Foundation
import PostbackIngest

/// `keyring.json`, beside a public key and a private key.
///
/// The private key is made for each run.
package final class KeyRingTarget: FuzzTarget {
    package static let name = "keyring"

    private let folder: ScratchFolder
    private let privateKey: String

    package init() throws {
        folder = try ScratchFolder()
        let key = try SigningKey.generate()
        privateKey = key.pem
        try folder.write("network.pem", Array(key.pem.utf8), mode: 0o600)
        try folder.write("open.pem", Array(key.pem.utf8), mode: 0o644)
        try folder.write("public.pem", Array(key.publicKey.pem.utf8), mode: 0o644)
        try folder.write("p192.pem", Array(try SigningKey.generate(.p192).pem.utf8), mode: 0o600)
    }

    package func check(_ input: [UInt8]) throws {
        try folder.write("keyring.json", input, mode: 0o600)
        let ring: KeyRing
        do throws(KeyRingError) {
            ring = try KeyRing(folder: folder.path)
        } catch {
            try expect(!error.rule.isEmpty && !error.file.isEmpty, "a refusal without file or rule")
            let line = privateKey.split(separator: "\n")[1]
            return try expect(!error.description.contains(line), "a refusal shows a private key")
        }
        let other = try OtherParser(input)
        let networks = other.object["networks"] as? [[String: Any]] ?? []
        let names = networks.map { $0["ad-network-id"] as? String }
        try expect(ring.networks.map { $0.adNetworkID.text } == names, "other networks")
        for (network, entry) in zip(ring.networks, networks) {
            try expect((network.signingKey != nil) == (entry["private-key"] is String), "another private key")
        }
        let apps = other.object["developer-apps"] as? [NSNumber] ?? []
        try expect(ring.developerApps.map(\.value).sorted() == Set(apps.map(\.int64Value)).sorted(), "other apps")
        let keys = other.object["postback-keys"] as? [[String: Any]] ?? []
        let ofRing = ring.postbackKeys.filter { !$0.isApples }
        try expect(ofRing.map(\.name) == keys.map { $0["name"] as? String }, "other postback keys")
        try expect(ofRing.allSatisfy { $0.environment != .production }, "a key of the ring counts as production")
        try expect(ring.postbackKeys.count == ofRing.count + AppleKey.allCases.count, "Apple's keys are not there")
    }
}

/// A folder in memory, if there is one, for inputs that are files.
struct ScratchFolder: ~Copyable {
    let path: String

    init() throws {
        let memory = "/dev/shm"
        let parent = FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
        path = parent + "/adattribution-fuzz-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file.
    func write(_ name: String, _ bytes: [UInt8], mode: mode_t) throws {
        let file = open(path + "/" + name, O_WRONLY | O_CREAT | O_TRUNC, mode)
        try expect(file >= 0, "\(name) can't be written")
        defer { close(file) }
        try expect(Glibc.write(file, bytes, bytes.count) == bytes.count, "\(name) can't be written")
    }
}
