import Encodings

/// A request with its secrets and its signature: it is sent, and neither stored nor shown.
package struct SignedRequest: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// The method.
    package let method: String
    /// The URL.
    package let url: String
    /// All headers that are about the event, in order.
    package let headers: [HeaderField]
    /// The body; nil for none.
    package let body: [UInt8]?
    /// The texts of the secrets that it may have, by their names.
    let secrets: [SecretName: String]

    /// Says only that there is one: URL and headers may have secrets.
    package var description: String { "\(method) …" }

    /// Shows nothing.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension PreparedRequest {
    /// Fills in secrets, and signs for one attempt.
    ///
    /// - Parameters:
    ///   - secrets: At least those that the request names.
    ///   - unixSeconds: The time of the attempt, in seconds since 1970.
    /// - Throws: The first secret that is missing, or that is to sign and is no such key.
    package func signed(
        with secrets: [SecretName: Secret], at unixSeconds: Int64
    ) throws(SecretProblem) -> SignedRequest {
        let url = try Self.filled(url) { (name) throws(SecretProblem) in
            PercentEncoding.text(try Self.secret(name, of: secrets).text)
        }
        var fields: [HeaderField] = []
        for header in headers {
            let value = try Self.filled(header.value) { (name) throws(SecretProblem) in
                try Self.secret(name, of: secrets).text
            }
            fields.append(HeaderField(name: header.name, value: value))
        }
        fields.append(HeaderField(name: StandardWebhooks.idHeader, value: webhookID))
        fields.append(HeaderField(name: StandardWebhooks.timestampHeader, value: String(unixSeconds)))
        if !signing.isEmpty {
            let value = try signature(secrets, unixSeconds)
            fields.append(HeaderField(name: StandardWebhooks.signatureHeader, value: value))
        }
        return SignedRequest(
            method: method.rawValue, url: url, headers: fields, body: body, secrets: secrets.mapValues(\.text))
    }

    private func signature(
        _ secrets: [SecretName: Secret], _ unixSeconds: Int64
    ) throws(SecretProblem) -> String {
        var keys: [WebhookKey] = []
        for name in signing {
            guard let key = try Self.secret(name, of: secrets).key else { throw Self.noKey(name) }
            keys.append(key)
        }
        do throws(KeyDoesNotSign) {
            return try StandardWebhooks.sign(id: webhookID, timestamp: unixSeconds, body: body ?? [], keys: keys)
        } catch {
            throw Self.noKey(signing[error.index])
        }
    }

    private static func noKey(_ name: SecretName) -> SecretProblem {
        SecretProblem(name, "must be \(WebhookKey.signingRule)")
    }

    private static func secret(
        _ name: SecretName, of secrets: [SecretName: Secret]
    ) throws(SecretProblem) -> Secret {
        guard let secret = secrets[name] else { throw .missing(name) }
        return secret
    }

    private static func filled(
        _ text: String, _ secret: (SecretName) throws(SecretProblem) -> String
    ) throws(SecretProblem) -> String {
        // A text that is no template was not prepared by us, and has no secret of ours.
        guard let template = try? RequestTemplate(text) else { return text }
        return try template.filled(secret)
    }
}
