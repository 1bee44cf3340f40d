import Foundation
import TestSupport
import Testing

/// What a stream of bodies offers: for each postback its highest conversion value, −1 for none.
struct Offered {
    private(set) var highest: [String: Int] = [:]

    init(_ bodies: some Sequence<[UInt8]>) throws {
        for body in bodies {
            let (key, value) = try Self.read(body)
            highest[key] = max(highest[key] ?? -1, value)
        }
    }

    /// The transaction id and the conversion value of one body.
    static func read(_ body: [UInt8]) throws -> (key: String, value: Int) {
        let object = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
        let key = try #require(object["transaction-id"] as? String)
        return (key.lowercased(), object["conversion-value"] as? Int ?? -1)
    }

    /// What the database has: for each postback its current value.
    static func stored(_ database: TestDatabase) async throws -> [String: Int] {
        var stored: [String: Int] = [:]
        let rows = try await database.column(
            "SELECT concat_ws(' ', transaction_id, coalesce(conversion_value, -1)) FROM attribution.postback")
        for row in rows.compactMap({ $0 }) {
            let parts = row.split(separator: " ")
            #expect(stored.updateValue(try #require(Int(parts[1])), forKey: String(parts[0])) == nil)
        }
        return stored
    }

    /// Checks that all that was answered with 200 is there, and that nothing is there that was not offered.
    static func checkNothingLost(
        _ bodies: [[UInt8]], _ answers: [PostbackClient.Answer?], in database: TestDatabase
    ) async throws {
        let stored = try await stored(database)
        let offered = try Offered(bodies)
        for (body, answer) in zip(bodies, answers) where answer?.status == 200 {
            let (key, value) = try read(body)
            #expect((stored[key] ?? -2) >= value, "\(key) was acknowledged with \(value)")
        }
        for (key, value) in stored {
            #expect(value <= offered.highest[key] ?? -2, "\(key) is counted with \(value)")
        }
        #expect(try await database.recounts() == [])
    }
}
