import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

/// A browser without a screen: it keeps the cookie of one server's page, and follows nothing by itself.
final class PageClient {
    private let http: HTTPClient
    let port: Int
    /// The same without a cookie.
    var client: PostbackClient { PostbackClient(http: http, port: port) }
    /// `NAME=TEXT` of the session; nil if nobody is signed in.
    var cookie: String?

    private init(http: HTTPClient, port: Int) {
        self.http = http
        self.port = port
    }

    /// The page of a server of an installation, which is killed when the test ends.
    static func start(_ changes: [String: String] = [:], on installation: Installation) async throws -> PageClient {
        try start(port: try await installation.start(changes).server.port(of: "admin"))
    }

    /// The page at a port.
    static func start(port: Int) throws -> PageClient {
        let page = client(port: port)
        try Teardown.add { [http = page.http] in try await http.shutdown() }
        return page
    }

    /// Runs a body with the page of a server of an installation.
    static func with<T>(
        _ changes: [String: String] = [:], on installation: Installation, _ body: (PageClient) async throws -> T
    ) async throws -> T {
        try await installation.withServer(changes) { server, _ in
            try await with(port: try await server.port(of: "admin"), body)
        }
    }

    /// Runs a body with the page at a port.
    static func with<T>(port: Int, _ body: (PageClient) async throws -> T) async throws -> T {
        let page = client(port: port)
        do {
            let value = try await body(page)
            try await page.http.shutdown()
            return value
        } catch {
            try? await page.http.shutdown()
            throw error
        }
    }

    private static func client(port: Int) -> PageClient {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        return PageClient(
            http: HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration), port: port)
    }

    /// Another browser of the same server.
    func stranger() -> PageClient { PageClient(http: http, port: port) }

    func get(_ path: String, _ headers: [(String, String)] = []) async throws -> PostbackClient.Answer {
        try await send(.GET, path, headers, body: nil)
    }

    /// Sends a form.
    func post(
        _ path: String, _ fields: [(String, String)], _ headers: [(String, String)] = []
    ) async throws -> PostbackClient.Answer {
        let text = fields.map { Self.encoded($0) + "=" + Self.encoded($1) }.joined(separator: "&")
        return try await send(
            .POST, path, [("Content-Type", "application/x-www-form-urlencoded")] + headers, body: Array(text.utf8))
    }

    /// Sends a form with a file, as browsers do.
    func upload(
        _ path: String, _ fields: [(String, String)], file: (name: String, bytes: [UInt8])
    ) async throws -> PostbackClient.Answer {
        func part(_ attributes: String, _ content: [UInt8]) -> [UInt8] {
            Array("--x\r\nContent-Disposition: form-data; \(attributes)\r\n\r\n".utf8) + content + Array("\r\n".utf8)
        }
        let parts = fields.flatMap { part("name=\"\($0)\"", Array($1.utf8)) }
        let body = parts + part("name=\"\(file.name)-file\"; filename=\"a.csv\"", file.bytes) + Array("--x--\r\n".utf8)
        return try await send(.POST, path, [("Content-Type", "multipart/form-data; boundary=x")], body: body)
    }

    /// Signs in.
    func signIn(_ headers: [(String, String)] = []) async throws {
        let answer = try await post("/sign-in", [("token", Installation.token), ("next", "/")], headers)
        #expect(answer.status == 303, "\(answer.text)")
        let set = try #require(answer.headers.first(name: "Set-Cookie"))
        cookie = String(set.prefix { $0 != ";" })
    }

    /// The token of the forms of a page.
    static func csrf(_ page: PostbackClient.Answer) throws -> String {
        let match = try #require(page.text.firstMatch(of: /name="csrf" value="([^"]+)"/), "\(page.text)")
        return String(match.1)
    }

    private func send(
        _ method: HTTPMethod, _ path: String, _ headers: [(String, String)], body: [UInt8]?
    ) async throws -> PostbackClient.Answer {
        let cookies = cookie.map { [("Cookie", $0)] } ?? []
        return try await client.request(method, path, headers: headers + cookies, body: body)
    }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}

extension PostbackClient.Answer {
    /// What the summary of errors says: each message by the id of the field to which it leads.
    ///
    /// The field must be there, say that it is wrong, and have the message beside it.
    func errors() throws -> [(field: String, message: String)] {
        let summary = try #require(
            text.firstMatch(of: /<div class="error-summary".*?<\/div>/.dotMatchesNewlines()), "\(text)")
        return try summary.0.matches(of: /<li><a href="#([^"]*)">(.*?)<\/a>/).map { match in
            let (field, message) = (String(match.1), String(match.2))
            if field == "main" { return (field, message) }
            let tag = try #require(
                text.matches(of: /<(?:input|select|textarea) [^>]*>/).first { $0.0.contains(" id=\"\(field)\"") },
                "\(field)")
            #expect(tag.0.contains(" aria-invalid=\"true\""), "\(tag.0)")
            let list = try #require(tag.0.firstMatch(of: /aria-describedby="([^"]*)"/), "\(tag.0)").1
            let beside = try #require(text.components(separatedBy: " id=\"\(list)\"").dropFirst().first)
            #expect(beside.components(separatedBy: "</ul>")[0].contains(message), "\(message)")
            return (field, message)
        }
    }

    /// The texts of the cells of a figure's table, by rows: the exact numbers, and else what is shown.
    func cells(_ figure: String) throws -> [[String]] { try rows(of: "tbody", figure) }

    /// The same of the rows below them, which stand for several.
    func footer(_ figure: String) throws -> [[String]] { try rows(of: "tfoot", figure) }

    private func rows(of part: String, _ figure: String) throws -> [[String]] {
        let section = try #require(
            text.components(separatedBy: "<section class=\"figure\" id=\"\(figure)\"").dropFirst().first?
                .components(separatedBy: "</section>").first)
        let body = try #require(
            section.components(separatedBy: "<\(part)>").dropFirst().first?.components(separatedBy: "</\(part)>").first)
        return body.matches(of: /<tr>(.*?)<\/tr>/.dotMatchesNewlines()).map { row in
            row.1.matches(of: /<t[dh]( class="number")?(?: data-value="([^"]*)")?[^>]*>(.*?)<\/t[dh]>/).map { cell in
                let text = String(cell.3.replacing(/<[^>]*>/, with: ""))
                return cell.2.map(String.init) ?? (cell.1 == nil ? text : text.replacing(",", with: ""))
            }
        }
    }

    /// The SQL of a figure, as a person would paste it.
    func sql(_ figure: String) throws -> String {
        let section = try #require(
            text.components(separatedBy: "<section class=\"figure\" id=\"\(figure)\"").dropFirst().first)
        let code = try #require(section.firstMatch(of: /<code>(.*?)<\/code>/.dotMatchesNewlines()))
        return Self.unescaped(String(code.1))
    }

    /// What a browser sends if the first button of a form is pressed: hidden fields, and that of the button.
    func pressed(_ form: String) throws -> [(String, String)] {
        let tag = try #require(
            text.components(separatedBy: " id=\"\(form)\"").dropFirst().first, "no form \(form): \(text)")
        let body = try #require(tag.components(separatedBy: "</form>").first)
        let hidden = body.matches(of: /<input type="hidden" name="([^"]+)" value="([^"]*)">/).map {
            // Line ends of all fields are sent as CRLF.
            (String($0.1), Self.unescaped(String($0.2)).replacing("\n", with: "\r\n"))
        }
        let button = try #require(body.firstMatch(of: /<button type="submit" name="do" value="([^"]*)">/))
        return hidden + [("do", String(button.1))]
    }

    private static func unescaped(_ text: String) -> String {
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#96;", "`"), ("&amp;", "&")]
            .reduce(text) { $0.replacing($1.0, with: $1.1) }
    }
}
