import StrictJSON

/// An object of an answer of Apple's API.
///
/// Members that are not asked for are left alone, since Apple adds some. `null` is as if there was none.
struct AnswerObject: Sendable {
    private static let maximumDepth = 16
    /// The greatest number of bytes of a token of a page.
    private static let maximumToken = 4_096

    private let path: String
    private let members: [String: LocatedJSON.Value]

    /// Reads an answer.
    static func read(_ bytes: [UInt8]) throws(StoreAPIError) -> AnswerObject {
        let json: LocatedJSON
        do throws(LocatedJSONError) {
            json = try LocatedJSON(object: bytes, maximumDepth: maximumDepth)
        } catch {
            throw StoreAPIError(.unreadable, "the answer, line \(error.line): \(error.rule.rawValue)")
        }
        return try AnswerObject(json.value, at: "answer")
    }

    private init(_ value: LocatedJSON.Value, at path: String) throws(StoreAPIError) {
        guard case .object(let members) = value else { throw Self.wrong(path, "must be an object") }
        self.path = path
        self.members = Dictionary(members.map { ($0.name, $0.value.value) }, uniquingKeysWith: { first, _ in first })
    }

    private static func wrong(_ path: String, _ rule: String) -> StoreAPIError {
        StoreAPIError(.unreadable, "\(path) \(rule)")
    }

    private func wrong(_ name: String, _ rule: String) -> StoreAPIError { Self.wrong("\(path).\(name)", rule) }

    /// A string.
    func text(_ name: String) throws(StoreAPIError) -> String? {
        switch members[name] {
        case nil, .some(.null): return nil
        case .some(.string(let text)): return text
        default: throw wrong(name, "must be a string")
        }
    }

    /// A string that must be there.
    func required(_ name: String) throws(StoreAPIError) -> String {
        guard let text = try text(name) else { throw wrong(name, "is missing") }
        return text
    }

    /// A token of a page: it is kept, and is sent in a URL.
    func token(_ name: String) throws(StoreAPIError) -> String? {
        guard let token = try text(name) else { return nil }
        guard (1...Self.maximumToken).contains(token.utf8.count), token.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            throw wrong(name, "must have 1 to \(Self.maximumToken) visible characters of ASCII")
        }
        return token
    }

    /// An integer.
    func integer(_ name: String) throws(StoreAPIError) -> Int64? {
        switch members[name] {
        case nil, .some(.null): return nil
        case .some(.integer(let integer)): return integer
        default: throw wrong(name, "must be an integer")
        }
    }

    /// True or false.
    func boolean(_ name: String) throws(StoreAPIError) -> Bool? {
        switch members[name] {
        case nil, .some(.null): return nil
        case .some(.boolean(let flag)): return flag
        default: throw wrong(name, "must be true or false")
        }
    }

    /// True or false; false if it is not there.
    func flag(_ name: String) throws(StoreAPIError) -> Bool { try boolean(name) ?? false }

    /// The objects of an array; none if it is not there.
    func objects(_ name: String) throws(StoreAPIError) -> [AnswerObject] {
        var objects: [AnswerObject] = []
        for (index, element) in try elements(name).enumerated() {
            objects.append(try AnswerObject(element.value, at: "\(path).\(name)[\(index)]"))
        }
        return objects
    }

    /// The strings of an array; none if it is not there.
    func texts(_ name: String) throws(StoreAPIError) -> [String] {
        var texts: [String] = []
        for (index, element) in try elements(name).enumerated() {
            guard case .string(let text) = element.value else { throw wrong("\(name)[\(index)]", "must be a string") }
            texts.append(text)
        }
        return texts
    }

    private func elements(_ name: String) throws(StoreAPIError) -> [LocatedJSON] {
        switch members[name] {
        case nil, .some(.null): return []
        case .some(.array(let elements)): return elements
        default: throw wrong(name, "must be an array")
        }
    }
}
