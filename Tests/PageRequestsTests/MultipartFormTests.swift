import Foundation
import TestSupport
import Testing

@testable import AdminAPI
@testable import PageRequests

@Suite("Forms with files")
struct MultipartFormTests {
    /// What Chromium sends.
    private static let body = """
        ------WebKitFormBoundaryAbC123\r
        Content-Disposition: form-data; name="csrf"\r
        \r
        tökén\r
        ------WebKitFormBoundaryAbC123\r
        Content-Disposition: form-data; name="spend-file"; filename="%22 spend.csv"\r
        Content-Type: text/csv\r
        \r
        day,spend\r
        --\r
        \r
        2026-11-22,1\r
        ------WebKitFormBoundaryAbC123\r
        content-disposition: form-data; name="empty"\r
        \r
        \r
        ------WebKitFormBoundaryAbC123--\r

        """
    private static let boundary = "----WebKitFormBoundaryAbC123"

    private func contents(_ body: String) throws -> [String: [UInt8]] {
        try MultipartForm(Array(body.utf8), boundary: Self.boundary).contents
    }

    @Test("Each part is there with its bytes; line ends and hyphens in a file stay")
    func parts() throws {
        let contents = try contents(Self.body)
        #expect(
            contents.mapValues { String(decoding: $0, as: UTF8.self) } == [
                "csrf": "tökén", "spend-file": "day,spend\r\n--\r\n\r\n2026-11-22,1", "empty": "",
            ])
        #expect(try self.contents("--\(Self.boundary)--").isEmpty)
    }

    @Test("Bytes of a file that are no UTF-8 are left to what reads the file; in another field they are refused")
    func bytes() throws {
        let parts = Self.body.split(separator: "day,spend", maxSplits: 1).map { Array($0.utf8) }
        let form = try MultipartForm(parts[0] + [0xFF] + parts[1], boundary: Self.boundary)
        #expect(form.contents["spend-file"]?.first == 0xFF)
        let others = Self.body.split(separator: "tökén", maxSplits: 1).map { Array($0.utf8) }
        #expect(throws: Problem(.invalidBody, field: "csrf", rule: "must be UTF-8")) {
            try MultipartForm(others[0] + [0xFF] + others[1], boundary: Self.boundary)
        }
    }

    @Test(
        "What browsers do not send is refused, with the part and its rule",
        arguments: [
            ("------WebKit", "preamble\r\n------WebKit", "body", "begin with the boundary"),
            ("AbC123--\r\n", "AbC123\r\n", "body", "end with the boundary"),
            ("AbC123--\r\n", "AbC123--\r\nmore", "body", "end with the boundary"),
            ("\"csrf\"\r\n\r\n", "\"csrf\"\r\n", "part 1", "must have headers"),
            ("name=\"csrf\"", "name=\"csrf", "part 1", "form-data with a name"),
            ("name=\"csrf\"", "name=\"<b>\"", "part 1", "form-data with a name"),
            ("form-data; name=\"csrf\"", "attachment; name=\"csrf\"", "part 1", "form-data with a name"),
            ("Content-Type", "Content-Transfer-Encoding", "part 2", "no others but Content-Type"),
            ("Content-Type: text/csv", "Content-Disposition: form-data; name=\"x\"", "part 2", "once"),
            ("name=\"empty\"", "name=\"csrf\"", "csrf", "must be there once"),
        ])
    func refused(place: String, change: String, field: String, rule: String) throws {
        let range = try #require(Self.body.firstRange(of: place))
        let problem = #expect(throws: Problem.self) {
            try contents(Self.body.replacingCharacters(in: range, with: change))
        }
        #expect(problem?.kind == .invalidBody && problem?.field == field, "\(String(describing: problem))")
        #expect(problem?.rule.contains(rule) == true, "\(String(describing: problem))")
    }

    @Test("A form has at most twenty parts")
    func count() throws {
        func form(_ count: Int) -> String {
            (0..<count).map { "--\(Self.boundary)\r\nContent-Disposition: form-data; name=\"n\($0)\"\r\n\r\n\r\n" }
                .joined() + "--\(Self.boundary)--\r\n"
        }
        #expect(try contents(form(20)).count == 20)
        for greater in [21, 22, 1_000] { #expect(throws: Problem.self) { try contents(form(greater)) } }
    }

    @Test("The boundary is read from the type, and must be one of RFC 2046")
    func boundaries() throws {
        #expect(try MultipartForm.boundary("multipart/form-data; boundary=----a1") == "----a1")
        #expect(try MultipartForm.boundary("Multipart/Form-Data; boundary=\"a b\"") == "a b")
        for other in [nil, "application/x-www-form-urlencoded", "multipart/mixed; boundary=a", "text"] as [String?] {
            #expect(try MultipartForm.boundary(other) == nil)
        }
        for wrong in ["", "; charset=utf-8", "; boundary=", "; boundary=\"a \"", "; boundary=<", "; boundary=a;b"]
            + ["; boundary=" + String(repeating: "a", count: 71)]
        {
            #expect(throws: Problem.self, "\(wrong)") { try MultipartForm.boundary("multipart/form-data" + wrong) }
        }
    }

    @Test("Random changes of a body are read or refused, and nothing else")
    func changes() throws {
        var random = SeededGenerator(seed: 15)
        var outcomes: Set<Bool> = []
        for _ in 0..<2_000 {
            var bytes = Array(Self.body.utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
                case 1: bytes.removeSubrange(place..<min(bytes.count, place + 7))
                default: bytes.insert(contentsOf: Array("\r\n--".utf8), at: place)
                }
            }
            do throws(Problem) {
                let contents = try MultipartForm(bytes, boundary: Self.boundary).contents
                #expect(contents.values.reduce(0) { $0 + $1.count } < bytes.count)
                outcomes.insert(true)
            } catch {
                #expect(error.kind == .invalidBody)
                outcomes.insert(false)
            }
        }
        #expect(outcomes == [true, false])
    }
}
