package import AdAttribution
import Foundation
import StrictJSON

extension TimelineSettings {
    /// Reads a configuration file: a JSON object whose members replace the defaults.
    ///
    /// - Throws: `FieldError` with the path of the member. What is wrong is no JSON, a member that stands twice or is
    ///   unknown, or a value of a wrong type.
    package init(json: [UInt8]) throws(FieldError) {
        try Self.scan(json)
        do {
            let given = try Self.object(Data(json))
            let merged = try Self.object(JSONEncoder().encode(TimelineSettings())).merging(given) { $1 }
            self = try JSONDecoder().decode(Self.self, from: JSONSerialization.data(withJSONObject: merged))
            if let unknown = Self.unknown(given, beside: try Self.object(JSONEncoder().encode(self)), "") {
                throw FieldError(field: unknown, rule: "is not a setting")
            }
        } catch let error as FieldError {
            throw error
        } catch let error as DecodingError {
            throw Self.refusal(error)
        } catch {
            throw FieldError(field: "config", rule: "must be a JSON object")
        }
    }

    /// The settings as JSON, for a file to begin with.
    package var json: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map(Array.init) ?? []
    }

    /// Checks the JSON by our own scanner: of two members with the same name Foundation takes one without a word.
    private static func scan(_ json: [UInt8]) throws(FieldError) {
        do throws(JSONError) {
            try json.withUnsafeBufferPointer { (bytes) throws(JSONError) in
                var scanner = JSONScanner(bytes, maximumDepth: 8)
                try scanner.scanDocument { (_, _) throws(JSONError) in }
            }
        } catch {
            throw FieldError(field: "config", rule: "byte \(error.offset): \(error.rule.rawValue)")
        }
    }

    private static func object(_ data: Data) throws -> [String: Any] {
        guard let object = try JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            throw FieldError(field: "config", rule: "must be a JSON object")
        }
        return object
    }

    /// The path of the first member that reading did not take over.
    private static func unknown(_ given: Any, beside read: Any, _ path: String) -> String? {
        switch (given, read) {
        case (let given as [String: Any], let read as [String: Any]):
            for (name, value) in given.sorted(by: { $0.key < $1.key }) {
                let place = path.isEmpty ? name : path + "." + name
                guard let known = read[name] else { return place }
                if let unknown = unknown(value, beside: known, place) { return unknown }
            }
        case (let given as [Any], let read as [Any]):
            for (index, (value, known)) in zip(given, read).enumerated() {
                if let unknown = unknown(value, beside: known, "\(path)[\(index)]") { return unknown }
            }
        default: break
        }
        return nil
    }

    private static func refusal(_ error: DecodingError) -> FieldError {
        switch error {
        case .keyNotFound(let key, let context):
            FieldError(field: path(context.codingPath + [key]), rule: "is missing")
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            FieldError(field: path(context.codingPath), rule: "must be \(name(of: type))")
        case .dataCorrupted(let context):
            FieldError(field: path(context.codingPath), rule: "must be a number in range")
        @unknown default: FieldError(field: "config", rule: "must be a JSON object of settings")
        }
    }

    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is Int.Type, is Int64.Type: "an integer"
        case is Double.Type: "a number"
        case is [String: Any].Type: "an object"
        default: "\(type)".hasPrefix("Array") ? "an array" : "an object"
        }
    }

    /// The path of a member, such as `apps[0].weight`.
    static func path(_ keys: [any CodingKey]) -> String {
        keys.reduce("") { path, key in
            if let index = key.intValue { return "\(path)[\(index)]" }
            return path.isEmpty ? key.stringValue : path + "." + key.stringValue
        }
    }
}
