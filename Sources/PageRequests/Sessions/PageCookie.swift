import HTTPTypes
import Hummingbird

/// The cookie of a session.
struct PageCookie: Sendable, Equatable {
    /// Whether the browser speaks https, to us or to a proxy before us.
    ///
    /// Whoever makes up the header of a proxy gets a cookie that is stricter, and that only for themselves.
    let isSecure: Bool
    private let plainName: String

    /// The cookie of a request.
    ///
    /// - Parameter name: That of the installation (`PageSessions.cookieName`).
    init(_ request: Request, name: String) {
        plainName = name
        let forwarded = HTTPField.Name("X-Forwarded-Proto").flatMap { name in request.headers[name] } ?? ""
        let standard = HTTPField.Name("Forwarded").flatMap { name in request.headers[name] } ?? ""
        isSecure =
            request.head.scheme == "https"
            || forwarded.split(separator: ",").first?.filter { $0 != " " }.lowercased() == "https"
            || standard.lowercased().split(whereSeparator: { ";, ".contains($0) }).contains("proto=https")
    }

    /// The name; with the prefix, browsers refuse a cookie of another host or of plain http.
    private var name: String { isSecure ? "__Host-\(plainName)" : plainName }

    /// The text of the request's cookie; nil if it has none, or two.
    func text(_ headers: HTTPFields) -> String? {
        var pairs: [Substring] = []
        for value in headers[values: .cookie] {
            pairs += value.split(separator: ";").map { pair in pair.drop(while: { $0 == " " }) }
        }
        let own = pairs.filter { $0.hasPrefix(name + "=") }
        return own.count == 1 ? String(own[0].dropFirst(name.utf8.count + 1)) : nil
    }

    /// The header that sets the cookie; nil removes it.
    func field(_ text: String?) -> HTTPField {
        let attributes = "; Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
        return HTTPField(
            name: .setCookie, value: "\(name)=\(text ?? "")" + attributes + (text == nil ? "; Max-Age=0" : ""))
    }
}
