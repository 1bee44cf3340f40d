/// A header of a request.
package struct HeaderField: Sendable, Equatable {
    /// The name.
    package let name: String
    /// The value.
    package let value: String

    /// Takes both.
    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// A request about one event, in which secrets still stand as `{secret:NAME}`: it may be stored and shown.
package struct PreparedRequest: Sendable, Equatable {
    /// The method.
    package let method: DestinationMethod
    /// The URL; its braces are those of placeholders.
    package let url: String
    /// The headers but those of the signature, in order; a brace in a value that is not a placeholder's stands twice.
    package let headers: [HeaderField]
    /// The body as it is sent; nil for none.
    package let body: [UInt8]?
    /// The header `webhook-id`, the same for each attempt.
    package let webhookID: String
    /// The secrets that sign it, in order.
    package let signing: [SecretName]

    /// Takes all of them, also as they were stored.
    package init(
        method: DestinationMethod, url: String, headers: [HeaderField], body: [UInt8]?, webhookID: String,
        signing: [SecretName]
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.webhookID = webhookID
        self.signing = signing
    }

    /// All secrets that its URL, its headers and its signatures name, sorted, each once.
    package var secrets: [SecretName] {
        let named = ([url] + headers.map(\.value)).flatMap { text in (try? RequestTemplate(text))?.secrets ?? [] }
        return Set(named + signing).sorted()
    }
}

extension Destination {
    /// The request that tells the destination of an event.
    ///
    /// - Throws: Why there is none. Another attempt would not help.
    package func request(for event: ForwardedEvent) throws(UnsendableEvent) -> PreparedRequest {
        let values = EventValues(event: event, missing: missing)
        let url = try url.url(values)
        var fields: [HeaderField] = []
        for header in headers {
            let value = try header.value.headerValue(values, name: header.name)
            fields.append(HeaderField(name: header.name, value: value))
        }
        let body = try bytes(for: values)
        if body != nil { fields.append(HeaderField(name: "Content-Type", value: RequestTemplate.escaped(contentType))) }
        return PreparedRequest(
            method: method, url: url, headers: fields, body: body, webhookID: event.webhookID, signing: signing)
    }

    private func bytes(for values: EventValues) throws(UnsendableEvent) -> [UInt8]? {
        switch body {
        case .none: return nil
        case .template(let template):
            var output: [UInt8] = []
            try template.append(to: &output, values)
            return output
        case .raw: return try Self.storedBody(of: values.event)
        case .enriched(let members):
            return try EnrichedBody.bytes(try Self.storedBody(of: values.event), adding: members, values)
        }
    }

    private static func storedBody(of event: ForwardedEvent) throws(UnsendableEvent) -> [UInt8] {
        guard let body = event.body else {
            throw UnsendableEvent(
                event.kind == .conflict
                    ? "the body of a conflict is not stored" : "the body left the database with retention")
        }
        return body
    }
}
