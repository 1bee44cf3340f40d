package import AdminAPI
package import HTTPTypes
package import Hummingbird
import NIOCore
package import PageViews

/// Makes the responses of the page.
package struct PageResponses: Sendable {
    private let templates: PageTemplates

    /// Takes what makes HTML of a view.
    package init(templates: PageTemplates) { self.templates = templates }

    /// The title of a page at whose address nothing is.
    static let nothing = "Nothing is here"

    /// A page.
    ///
    /// - Parameter status: By default that of a request that is right, or wrong if the page says so.
    package func html(_ view: some PageView, status: HTTPResponse.Status? = nil) -> Response {
        var response = Response(
            status: status ?? (view.frame.hasErrors ? .badRequest : .ok),
            headers: [.contentType: "text/html; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: templates.html(view))))
        Self.secure(&response, script: view.frame.script)
        return response
    }

    /// A page that says what went wrong.
    package func html(_ problem: Problem, _ frame: PageFrame) -> Response {
        if problem == .notFound {
            let view = MessageView(
                frame, ["There is no page at this address."], link: PageLink("Go to Overview", "/"))
            return html(view, status: problem.kind.status)
        }
        let text = "\(problem.field): \(problem.rule)."
        // A mistake in the address stands where screens show one in a filter.
        let view =
            problem.kind == .invalidParameter
            ? MessageView(frame.adding(PageError(text)), [problem.kind.advice])
            : MessageView(frame, [text, problem.kind.advice])
        var response = html(view, status: problem.kind.status)
        response.headers.append(contentsOf: problem.headers.filter { $0.name != .wwwAuthenticate })
        return response
    }

    /// The browser asks for another address, by GET.
    package static func redirect(to address: String, _ fields: [HTTPField] = []) -> Response {
        var response = Response(status: .seeOther, headers: [.location: address])
        response.headers.append(contentsOf: fields)
        secure(&response)
        return response
    }

    /// A file that pages refer to.
    static func asset(_ bytes: [UInt8], _ contentType: String) -> Response {
        var response = Response(
            status: .ok, headers: [.contentType: contentType],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        secure(&response)
        response.headers[.cacheControl] = "max-age=300"
        return response
    }

    /// A table as a file.
    package static func csv(_ text: String, name: String) -> Response {
        var response = Response.text(text, contentType: "text/csv; charset=utf-8")
        response.headers[.contentDisposition] = "attachment; filename=\"\(name).csv\""
        secure(&response)
        return response
    }

    /// Adds what keeps a page from doing anything but what it is for.
    ///
    /// With `no-referrer`, browsers would send forms with `Origin: null`.
    package static func secure(_ response: inout Response, script: PageScript? = nil) {
        let more = script.map { " script-src 'self';" + ($0.hasConnection ? " connect-src 'self';" : "") } ?? ""
        let fields: [(String, String)] = [
            (
                "Content-Security-Policy",
                "default-src 'none'; style-src 'self'; img-src 'self' data:;\(more) form-action 'self'; "
                    + "frame-ancestors 'none'; base-uri 'none'"
            ),
            ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"), ("Referrer-Policy", "same-origin"),
            ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Cache-Control", "no-store"),
        ]
        for (name, value) in fields {
            guard let name = HTTPField.Name(name) else { continue }
            response.headers[name] = value
        }
    }
}
