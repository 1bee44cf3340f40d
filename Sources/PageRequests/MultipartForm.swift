import AdminAPI
import Hummingbird

/// The parts of a `multipart/form-data` body (RFC 7578), as browsers write them.
///
/// It is stricter than the RFC. Nothing is before the first part or behind the last one. Parts have no other headers than
/// those of browsers, and each name is there once. Names are of this page, so they have no escapes.
struct MultipartForm: Sendable {
    /// The most parts of a form.
    static let greatestCount = 20

    /// The content of each part, by its name.
    private(set) var contents: [String: [UInt8]] = [:]

    /// The boundary of a body; nil if it is none of this type.
    ///
    /// - Throws: `invalidBody` if the boundary breaks the rule of RFC 2046, section 5.1.1.
    static func boundary(_ contentType: String?) throws(Problem) -> String? {
        guard let type = contentType.flatMap(MediaType.init(from:)), type.type == .multipart,
            type.subType == "form-data"
        else { return nil }
        guard let (name, value) = type.parameter, name.lowercased() == "boundary",
            value.wholeMatch(of: /[0-9A-Za-z'()+_,\-.\/:=? ]{0,69}[0-9A-Za-z'()+_,\-.\/:=?]/) != nil
        else { throw Self.refusal("boundary", "must be 1 to 70 of the characters of RFC 2046") }
        return value
    }

    /// Reads a body.
    ///
    /// - Throws: `invalidBody`, with the part and the rule that it breaks.
    init(_ body: [UInt8], boundary: String) throws(Problem) {
        let end = Array("\r\n".utf8)
        // A boundary is at the begin of a line.
        let sections = (end + body).split(
            separator: end + Array("--\(boundary)".utf8), maxSplits: Self.greatestCount + 2,
            omittingEmptySubsequences: false)
        guard sections.count >= 2, let first = sections.first, first.isEmpty else {
            throw Self.refusal("body", "must begin with the boundary")
        }
        guard sections.count <= Self.greatestCount + 2 else {
            throw Self.refusal("body", "must have at most \(Self.greatestCount) parts")
        }
        let last = Array("--".utf8)
        guard let tail = sections.last, tail.elementsEqual(last) || tail.elementsEqual(last + end) else {
            throw Self.refusal("body", "must end with the boundary and two hyphens")
        }
        for (number, section) in sections.dropFirst().dropLast().enumerated() {
            try read(section, number + 1)
        }
    }

    /// Reads a part: a line end, headers, an empty line, and the content.
    private mutating func read(_ section: ArraySlice<UInt8>, _ number: Int) throws(Problem) {
        let end = Array("\r\n".utf8)
        let halves = section.split(separator: end + end, maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, section.starts(with: end), let head = String(validating: halves[0], as: UTF8.self)
        else { throw Self.refusal("part \(number)", "must have headers in UTF-8, and an empty line behind them") }
        var disposition: String?
        for line in head.split(separator: "\r\n") {
            let parts = line.split(separator: ":", maxSplits: 1).map { $0.drop { $0 == " " } }
            switch parts.first?.lowercased() {
            case "content-disposition" where parts.count == 2 && disposition == nil: disposition = String(parts[1])
            case "content-type": break
            default:
                throw Self.refusal(
                    "part \(number)", "must have Content-Disposition once, and no others but Content-Type")
            }
        }
        guard let match = disposition?.wholeMatch(of: /form-data; name="([A-Za-z0-9\-]{1,40})"(; filename="[^"]*")?/)
        else { throw Self.refusal("part \(number)", "must be form-data with a name, and nothing else but a filename") }
        let name = String(match.1)
        guard contents.updateValue(Array(halves[1]), forKey: name) == nil else {
            throw Self.refusal(name, "must be there once")
        }
        // What reads a file says in which line it is no UTF-8.
        guard match.2 == nil else { return }
        guard let text = String(validating: halves[1], as: UTF8.self) else {
            throw Self.refusal(name, "must be UTF-8")
        }
        try Problem.check(text, of: name)
    }

    private static func refusal(_ field: String, _ rule: String) -> Problem {
        Problem(.invalidBody, field: field, rule: rule)
    }
}
