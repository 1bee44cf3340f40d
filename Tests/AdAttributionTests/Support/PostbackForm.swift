import TestSupport
import Testing

@testable import AdAttribution

/// A signed postback of one version and form, and the verifier that takes it: signed here with a test key, or genuine.
struct PostbackForm: Sendable, CustomTestStringConvertible {
    let name: String
    let body: PostbackBody
    let verifier: PostbackVerifier
    let signingKey: String
    let environment: AttributionEnvironment

    var testDescription: String { name }

    /// The curve of the version, written down here a second time.
    var curve: Curve { ["1.0", "2.0"].contains(body.version) ? .p192 : .p256 }

    /// The signed fields that may be missing.
    static let optionalKeys = ["source-app-id", "source-domain"]

    /// Networks that are known to every form: spellings of one, and another.
    static let networks = ["example123.skadnetwork", "com.example", "example124.skadnetwork"]

    /// Whether the body is Apple's own.
    var isGenuine: Bool { environment == .production }

    /// Every version and form, signed with test keys, then Apple's own.
    static let all: [PostbackForm] = (try? signedHere() + genuine()) ?? []

    /// The forms that are signed with test keys.
    static let ours = all.filter { !$0.isGenuine }

    /// The form of this name.
    static func named(_ name: String) throws -> PostbackForm {
        try #require(all.first { $0.name == name })
    }

    /// The private halves of the test keys, by curve.
    static let keys: [Curve: SigningKey] = {
        let pairs = Curve.allCases.compactMap { curve in (try? SigningKey.generate(curve)).map { (curve, $0) } }
        return Dictionary(uniqueKeysWithValues: pairs)
    }()

    /// A verifier with both test keys.
    static func verifier() throws -> PostbackVerifier {
        let ring = try Curve.allCases.map { curve in
            try PostbackKey(
                name: curve.rawValue, environment: .test, key: #require(keys[curve]).publicKey)
        }
        return PostbackVerifier(keyRing: try .of(networks: networks, keys: ring))
    }

    private static func signedHere() throws -> [PostbackForm] {
        let verifier = try verifier()
        return try unsigned.map { name, members in
            let body = PostbackBody(members: members)
            let curve: Curve = ["1.0", "2.0"].contains(body.version) ? .p192 : .p256
            return PostbackForm(
                name: name, body: try body.signed(with: #require(keys[curve])), verifier: verifier,
                signingKey: curve.rawValue, environment: .test)
        }
    }

    private static func genuine() throws -> [PostbackForm] {
        let verifier = PostbackVerifier(keyRing: try .of(networks: networks))
        return try VectorFile.fixture("skan-postbacks.json").filter { $0["verifies"] as? Bool == true }.map { entry in
            let body = try PostbackBody(object: #require(entry["postback"] as? [String: Any]))
            return PostbackForm(
                name: try #require(entry["id"] as? String), body: body, verifier: verifier,
                signingKey: body.version == "2.0" ? "apple-skadnetwork-p192" : "apple-cas-identifier/0",
                environment: .production)
        }
    }

    private typealias Members = [(key: String, json: String)]

    private static let unsigned: [(String, Members)] = {
        let first: Members = [
            ("ad-network-id", #""example123.skadnetwork""#), ("campaign-id", "42"),
            ("transaction-id", #""6aafb7a5-0170-41b5-bbe4-fe71dedf1e28""#), ("app-id", "525463029"),
        ]
        let fourth: Members = [
            ("version", #""4.0""#), ("ad-network-id", #""example123.skadnetwork""#),
            ("source-identifier", #""5239""#), ("transaction-id", #""6aafb7a5-0170-41b5-bbe4-fe71dedf1e28""#),
            ("app-id", "525463029"), ("redownload", "false"), ("fidelity-type", "1"),
        ]
        // A leading zero is signed as it stands.
        let later = fourth.map { $0.key == "source-identifier" ? ($0.key, #""09""#) : $0 }
        let again: Members = [("redownload", "true")]
        let app: Members = [("source-app-id", "1234567891")]
        let web: Members = [("source-domain", #""example.com""#)]
        let fidelity: Members = [("fidelity-type", "1")]
        let won: Members = [("did-win", "true")]
        let lost: Members = [("did-win", "false")]
        let fine: Members = [("conversion-value", "20")]
        let coarse: Members = [("coarse-conversion-value", #""medium""#)]
        func version(_ version: String) -> Members { [("version", #""\#(version)""#)] }
        func window(_ index: Int) -> Members { [("postback-sequence-index", "\(index)")] }
        return [
            ("1.0 without version", first), ("1.0", version("1.0") + first),
            ("2.0", version("2.0") + first + again + app + fine),
            ("2.0 without source", version("2.0") + first + again),
            ("2.1", version("2.1") + first + again + app + fine),
            ("2.1 without source", version("2.1") + first + again),
            ("2.2", version("2.2") + first + again + app + fidelity + fine),
            ("2.2 without source", version("2.2") + first + again + fidelity),
            ("3.0 won", version("3.0") + first + again + app + fidelity + won + fine),
            ("3.0 lost", version("3.0") + first + again + fidelity + lost),
            ("4.0 app", fourth + app + won + window(0) + fine), ("4.0 web", fourth + web + won + window(0) + coarse),
            ("4.0 without source", fourth + won + window(0)), ("4.0 lost", fourth + lost + window(0)),
            ("4.0 window 1", fourth + won + window(1) + coarse), ("4.0 window 2", later + won + window(2) + coarse),
        ]
    }()
}
