import HTTPTypes
import Hummingbird
import Reports

extension ReportFormat {
    /// The form that a request asks for: by the parameter `format`, or else by the header `Accept`.
    ///
    /// - Throws: `notAcceptable` if the header names no form that there is.
    init(_ request: AdminRequest) throws(Problem) {
        if let format = request["format"].flatMap({ ReportFormat(rawValue: $0) }) {
            self = format
            return
        }
        let fields = request.request.headers[values: .accept]
        guard !fields.isEmpty else {
            self = .json
            return
        }
        let wanted = fields.flatMap { $0.split(separator: ",") }.compactMap(Self.choice)
        guard let best = wanted.max(by: { $0.quality < $1.quality }), best.quality > 0 else {
            let types = Self.allCases.map { $0.mediaType }.joined(separator: ", ")
            throw Problem(.notAcceptable, field: "accept", rule: "must have one of \(types)")
        }
        self = best.format
    }

    /// The type without parameters.
    private var mediaType: Substring { contentType.prefix { $0 != ";" } }

    /// A media range of the header (RFC 9110, section 12.5.1), and the first form that it fits; nil if it fits none.
    private static func choice(_ range: Substring) -> (format: ReportFormat, quality: Double)? {
        let parts = range.split(separator: ";").map { $0.filter { !$0.isWhitespace }.lowercased() }
        guard let type = parts.first else { return nil }
        let quality = parts.first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
        let format = allCases.first { format in
            type == "*/*" || type == format.mediaType
                || (type.hasSuffix("/*") && format.mediaType.hasPrefix(type.dropLast()))
        }
        return format.map { ($0, quality) }
    }
}
