import StrictJSON

extension Destination {
    /// Reads a file strictly, and makes all checks.
    ///
    /// An unknown member or macro, a member that stands twice, a wrong type and a value out of range are refused.
    ///
    /// - Throws: All problems, up to a hundred; if the file is not JSON, the first one.
    package init(document: [UInt8]) throws(DestinationProblems) {
        let findings = DocumentFindings()
        let root: DocumentNode
        do throws(DocumentProblem) {
            root = try DocumentNode(
                document: document, maximumSize: Self.maximumSize, maximumDepth: Self.maximumDepth, findings: findings)
        } catch {
            throw DestinationProblems([error])
        }
        guard let destination = root.object().flatMap(Self.read), findings.problems.isEmpty else {
            throw DestinationProblems(findings.problems)
        }
        self = destination
    }

    /// Reads all members; nil if something is wrong with one of them.
    private static func read(_ object: DocumentObject) -> Destination? {
        var reader = object
        let name = reader.required("name")?.text(DestinationName.rule) { DestinationName($0) }
        let filter = reader.optional("when", else: .standard, DestinationFilter.read)
        let method = reader.optional("method", else: .post) { $0.choice(DestinationMethod.self) }
        let allowsHTTP = reader.optional("allow-http", else: false) { $0.boolean() }
        let url = reader.required("url").flatMap { DestinationURL.read($0, allowsHTTP: allowsHTTP ?? true) }
        let headers = reader.optional("headers", else: [], HeaderRules.read)
        let body = DestinationBody.read(&reader, method: method ?? .post, events: filter?.events ?? [])
        let contentType = HeaderRules.contentType(&reader, body: body)
        let missing = reader.optional("missing", else: .empty) { $0.choice(MissingValue.self) }
        let signing = reader.optional("sign", else: []) { $0.list(atMost: 4) { $0.secretName() } }
        let limits = reader.optional("limits", else: .standard, DestinationLimits.read)
        let success = reader.optional("success", else: .any2xx, SuccessRule.read)
        let retry = reader.optional("retry", else: .standard, RetrySchedule.read)
        let disableAfter = reader.optional("disable-after", else: defaultDisableAfter) { $0.duration() }
        let authority = reader.optional("certificate-authority", else: nil, CertificateText.read)
        reader.refuseOthers()
        guard let name, let filter, let method, let allowsHTTP, let url, let headers, let body, let contentType,
            let missing, let signing, let limits, let success, let retry, let disableAfter, let authority
        else { return nil }
        return Destination(
            name: name, filter: filter, method: method, url: url, headers: headers, body: body,
            contentType: contentType, missing: missing, signing: signing, limits: limits, success: success,
            retry: retry, disableAfter: disableAfter, allowsHTTP: allowsHTTP, certificateAuthority: authority)
    }
}

extension DestinationLimits {
    fileprivate static func read(_ node: DocumentNode) -> DestinationLimits? {
        guard var reader = node.object() else { return nil }
        let perSecond = reader.optional("per-second", else: standard.perSecond) {
            $0.integer(in: rates).map { .some($0) }
        }
        let inFlight = reader.optional("in-flight", else: standard.inFlight) { $0.integer(in: inFlightCounts) }
        let timeout = reader.optional("timeout-seconds", else: standard.timeout) { node in
            node.integer(in: timeouts).map { .seconds($0) }
        }
        reader.refuseOthers()
        guard let perSecond, let inFlight, let timeout else { return nil }
        return DestinationLimits(perSecond: perSecond, inFlight: inFlight, timeout: timeout)
    }
}

extension SuccessRule {
    /// Reads `"2xx"`, or `[200, 202, 404]`.
    fileprivate static func read(_ node: DocumentNode) -> SuccessRule? {
        if case .string = node.json.value {
            return node.text("\"2xx\", or an array of statuses") { $0 == "2xx" ? .any2xx : nil }
        }
        return node.list { $0.integer(in: 200...599) }.map { .statuses(Set($0)) }
    }
}

extension RetrySchedule {
    /// Reads `["5s", "5m"]`; without any element there is no retry.
    fileprivate static func read(_ node: DocumentNode) -> RetrySchedule? {
        guard let elements = node.array() else { return nil }
        guard elements.count <= greatestCount else {
            node.refuse("an array of at most \(greatestCount) durations")
            return nil
        }
        return RetrySchedule(delays: elements.compactMap { $0.duration() })
    }
}
