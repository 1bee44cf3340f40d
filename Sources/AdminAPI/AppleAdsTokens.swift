import Access
import AdAttribution
import AppleAds
import AuditTrail
import Encodings
import Hummingbird
import Logging
import Observability
import PostbackStore
import StrictJSON

/// `POST /v1/apple-ads/tokens`: takes tokens of AdServices from the developer's backend, to be exchanged at Apple.
///
/// A list is taken in parts: each token that breaks a rule is refused alone, since tokens come from devices.
struct AppleAdsTokens: Sendable {
    /// The greatest number of bytes of a request.
    static let maximumBodySize = 1 << 20
    /// The greatest number of tokens of a request.
    static let maximumCount = 1_000

    let store: PostbackStore
    let trail: Trail
    let logger: Logger
    let failed = RepeatedLine(.error, "tokens of Apple Ads not stored")

    /// The route.
    var route: AdminRoute {
        AdminRoute(
            method: .post, path: "/v1/apple-ads/tokens",
            summary: "Takes one token of Apple Ads, or an array of them, to be exchanged at Apple",
            needs: .scope(.load), body: .appleAdsTokens, status: .accepted, contentTypes: ["application/json"],
            answer: .appleAdsIntake, problems: [.invalidBody, .bodyTooLarge, .unavailable], handler: respond)
    }

    private func respond(to request: AdminRequest) async throws -> Response {
        let body = try await request.body(upTo: Self.maximumBodySize)
        var tokens: [AppleAdsToken] = []
        var refused: [[UInt8]] = []
        if let items = try Self.items(of: body) {
            guard (1...Self.maximumCount).contains(items.count) else {
                throw Problem(.invalidBody, field: "body", rule: "must have 1 to \(Self.maximumCount) tokens")
            }
            for (index, item) in items.enumerated() {
                do throws(FieldError) {
                    tokens.append(try Self.token(of: item))
                } catch {
                    refused.append(Self.refusal(at: index, error))
                }
            }
        } else {
            do throws(FieldError) {
                tokens.append(try Self.token(of: body))
            } catch {
                throw Problem(.invalidBody, field: error.field, rule: error.rule)
            }
        }
        let accepted = try await add(tokens)
        if accepted > 0 { trail.sum(.appleAds, by: request.actor, [("tokens", Int64(accepted))]) }
        var answer = JSONObjectText()
        answer.append("accepted", accepted)
        answer.append("duplicate", tokens.count - accepted)
        answer.append("refused", list: refused)
        return .json(.accepted, answer.finished())
    }

    private func add(_ tokens: [AppleAdsToken]) async throws(Problem) -> Int {
        do {
            return try await store.add(tokens)
        } catch {
            failed.log(to: logger, ["error": "\(error)"])
            throw .unavailable()
        }
    }

    private static func items(of body: [UInt8]) throws(Problem) -> [[UInt8]]? {
        do throws(ImpressionError) {
            return try ImpressionItems.items(of: body)
        } catch {
            throw Problem(error)
        }
    }

    /// Reads `{"app-id": …, "token": "…"}`; what is refused is not repeated.
    private static func token(of item: [UInt8]) throws(FieldError) -> AppleAdsToken {
        let json: LocatedJSON
        do throws(LocatedJSONError) {
            json = try LocatedJSON(object: item, maximumDepth: 2)
        } catch {
            throw FieldError(field: error.name?.prefix(bytes: 60) ?? "body", rule: error.rule.rawValue)
        }
        guard case .object(let members) = json.value else { throw FieldError(field: "body", rule: "must be an object") }
        var appID: AppID?
        var text: String?
        for (name, member) in members {
            switch (name, member.value) {
            case ("app-id", .integer(let integer)): appID = AppID(integer)
            case ("token", .string(let string)): text = string
            case ("app-id", _), ("token", _): break
            default: throw FieldError(field: name.prefix(bytes: 60), rule: "is no member; there are app-id and token")
            }
        }
        guard let appID else { throw FieldError(field: "app-id", rule: "must be \(AppID.rule)") }
        guard let text, let token = AppleAdsToken(text, appID: appID) else {
            throw FieldError(field: "token", rule: "must be \(AppleAdsToken.rule)")
        }
        return token
    }

    private static func refusal(at index: Int, _ error: FieldError) -> [UInt8] {
        var object = JSONObjectText()
        object.append("index", index)
        object.append("field", error.field)
        object.append("rule", error.rule)
        return object.finished()
    }
}
