import Testing

@testable import AdAttribution

/// An impression as raw JSON members, to be changed one at a time.
struct ImpressionBody: JSONObjectBody, Sendable, CustomTestStringConvertible {
    var members: [(key: String, json: String)]

    /// A 2.0 impression without its signature.
    static let version2 = of("2.0")

    /// A 4.0 impression without its signature.
    static let version4 = of("4.0")

    /// A 4.0 web ad without its signature.
    static let web = version4.removing("source-app-id").setting("source-domain", #""example.com""#)

    /// Every version and form.
    static let forms: [ImpressionBody] =
        [of("1.0"), of("2.0"), of("2.1")]
        + ["2.2", "3.0", "4.0"].flatMap { [of($0), of($0).setting("fidelity-type", "0")] } + [web]

    /// The body of a version by its number, with the fields that it signs in their order; 1.0 carries no version.
    static func of(_ version: String) -> ImpressionBody {
        let values = [
            "version": "\"\(version)\"", "ad-network-id": #""example123.skadnetwork""#, "campaign-id": "42",
            "source-identifier": "5239", "itunes-item-id": "525463029",
            "nonce": #""6aafb7a5-0170-41b5-bbe4-fe71dedf1e28""#, "source-app-id": "1234567891", "fidelity-type": "1",
            "timestamp": "1676057605705",
        ]
        return ImpressionBody(members: signedKeys(version).compactMap { key in values[key].map { (key, $0) } })
    }

    /// The fields that a version signs, in Apple's order, written down here a second time, on purpose.
    static func signedKeys(_ version: String) -> [String] {
        switch version {
        case "1.0": ["ad-network-id", "campaign-id", "itunes-item-id", "nonce", "timestamp"]
        case "2.0", "2.1":
            ["version", "ad-network-id", "campaign-id", "itunes-item-id", "nonce", "source-app-id", "timestamp"]
        case "2.2", "3.0":
            [
                "version", "ad-network-id", "campaign-id", "itunes-item-id", "nonce", "source-app-id", "fidelity-type",
                "timestamp",
            ]
        default:
            [
                "version", "ad-network-id", "source-identifier", "itunes-item-id", "nonce", "source-app-id",
                "source-domain", "fidelity-type", "timestamp",
            ]
        }
    }

    /// The version that the body says, or 1.0.
    var version: String { self["version"]?.replacing("\"", with: "") ?? "1.0" }

    /// What must be signed, composed here by itself: the values in their order, U+2063 between them.
    var expectedMessage: [UInt8] {
        let values = Self.signedKeys(version).compactMap { self[$0]?.replacing("\"", with: "") }
        return Array(values.joined(separator: "\u{2063}").utf8)
    }

    /// What is given to be signed: 1.0 must be asked for by its name.
    var requested: ImpressionBody {
        self["version"] == nil && self["campaign-id"] != nil ? setting("version", #""1.0""#) : self
    }

    var testDescription: String {
        version + (self["fidelity-type"].map { ", fidelity \($0)" } ?? "")
            + (self["source-domain"] == nil ? "" : ", web")
    }

    /// The impression, or the refusal.
    func impression() throws -> Impression {
        try Impression(ImpressionParameters(json: requested.bytes))
    }

    /// The refusal of a text; nil if it is an impression.
    var refusal: FieldError? {
        do {
            _ = try impression()
            return nil
        } catch let error as FieldError {
            return error
        } catch ImpressionError.field(let error) {
            return error
        } catch {
            return FieldError(field: "json", rule: "\(error)")
        }
    }
}
