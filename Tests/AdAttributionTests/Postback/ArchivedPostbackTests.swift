import Testing

@testable import AdAttribution

@Suite("Archived postbacks")
struct ArchivedPostbackTests {
    @Test(
        "The time of receipt is an RFC 3339 text or an integer of milliseconds, or absent",
        arguments: [
            (#""2026-11-21T07:12:00Z""#, 1_795_245_120_000), (#""2026-11-21T07:12:00.250Z""#, 1_795_245_120_250),
            (#""2026-11-21T09:12:00+02:00""#, 1_795_245_120_000), ("1795245120001", 1_795_245_120_001),
        ] as [(String, Int64)])
    func times(_ json: String, _ expected: Int64) throws {
        let form = try PostbackForm.named("4.0 app")
        let line = form.body.bytes.dropLast() + Array(",\"received-at\":\(json)}".utf8)
        let archived = try ArchivedPostback(parsing: line)
        #expect(archived.receivedAt?.milliseconds == expected)
        #expect(archived.postback.body == line)
        #expect(try ArchivedPostback(parsing: form.body.bytes).receivedAt == nil)
    }

    @Test(
        "Any other time is malformed, and the error says so",
        arguments: ["null", "true", "1795245120", "17952451200010", #""21 November""#, #""2026-11-21""#, "1.5", "{}"])
    func broken(_ json: String) throws {
        let line = try PostbackForm.named("4.0 app").body.bytes.dropLast() + Array(",\"received-at\":\(json)}".utf8)
        let rejection = #expect(throws: PostbackRejection.self) { try ArchivedPostback(parsing: line) }
        #expect(rejection?.reason == .malformed)
        #expect(rejection?.field == "received-at")
    }
}
