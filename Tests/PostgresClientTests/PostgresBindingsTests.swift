import FoundationEssentials
import Testing

@testable import PostgresClient

/// Bytes as `int8send`, `timestamptz_send`, `array_send` and the others in the server write them.
@Suite("Bindings")
struct PostgresBindingsTests {
    private func bytes(_ append: (inout PostgresBindings) -> Void) throws -> (UInt32, [UInt8]?) {
        var bindings = PostgresBindings()
        append(&bindings)
        let slot = try #require(bindings.slots.first)
        #expect(bindings.count == 1)
        guard case .shared(let range) = slot else { return (bindings.types[0].id, nil) }
        return (bindings.types[0].id, Array(bindings.buffer[range]))
    }

    @Test("Scalars are in network byte order")
    func scalars() throws {
        #expect(try bytes { $0.append(Int16(-2)) } == (21, [0xff, 0xfe]))
        #expect(try bytes { $0.append(Int32(0x0102_0304)) } == (23, [1, 2, 3, 4]))
        #expect(try bytes { $0.append(Int64.min) } == (20, [0x80, 0, 0, 0, 0, 0, 0, 0]))
        #expect(try bytes { $0.append(1.0) } == (701, [0x3f, 0xf0, 0, 0, 0, 0, 0, 0]))
        #expect(try bytes { $0.append(true) } == (16, [1]))
        #expect(try bytes { $0.append("é\u{0}") } == (25, [0xc3, 0xa9, 0]))
        #expect(try bytes { $0.append(bytea: [0, 255]) } == (17, [0, 255]))
        #expect(try bytes { $0.append(json: Array("{}".utf8)) } == (114, [0x7b, 0x7d]))
        let uuid = try #require(UUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0E0F"))
        #expect(try bytes { $0.append(uuid) } == (2950, Array(0...15)))
        #expect(
            try bytes { $0.append(PostgresTimestamp(millisecondsSince1970: 946_684_800_001)) }
                == (1184, [0, 0, 0, 0, 0, 0, 3, 0xe8])
        )
        #expect(try bytes { $0.append(date: PostgresDate(daysSince2000: -1)) } == (1082, [255, 255, 255, 255]))
    }

    @Test("Nil is NULL")
    func null() throws {
        #expect(try bytes { $0.append(nil as Int64?) } == (20, nil))
        #expect(try bytes { $0.append(bytea: nil) } == (17, nil))
        #expect(try bytes { $0.append(json: nil) } == (114, nil))
        #expect(try bytes { $0.append(date: nil) } == (1082, nil))
    }

    @Test("Empty values have an address")
    func empty() throws {
        var bindings = PostgresBindings()
        bindings.append("")
        bindings.append(bytea: [])
        bindings.append(nil as String?)
        bindings.append(Int32(7))
        bindings.withParameters { given in
            #expect(given.count == 4)
            #expect(given.values?[0] != nil && given.values?[1] != nil && given.values?[3] != nil)
            #expect(given.values?[2] == nil)
            #expect(given.lengths?[0] == 0 && given.lengths?[1] == 0 && given.lengths?[3] == 4)
        }
    }

    @Test("Arrays have dimension, flag, type, count and bound")
    func arrays() throws {
        let header: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 23, 0, 0, 0, 2, 0, 0, 0, 1]
        #expect(
            try bytes { $0.append([5, 6] as [Int32]) } == (
                1007, header + [0, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0, 4, 0, 0, 0, 6]
            )
        )
        var withNull = header
        withNull[7] = 1
        #expect(
            try bytes { $0.append([5, nil] as [Int32?]) } == (
                1007, withNull + [0, 0, 0, 4, 0, 0, 0, 5, 255, 255, 255, 255]
            )
        )
        #expect(try bytes { $0.append([] as [Int32]) } == (1007, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 23]))
        #expect(
            try bytes { $0.append(byteas: [[9], nil]) }.1
                == [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 17, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 9, 255, 255, 255, 255]
        )
        #expect(try bytes { $0.append([1, 2].lazy.map { Int64($0) }) }.0 == 1016)
    }

    @Test("Too many parameters are refused")
    func tooMany() throws {
        var bindings = PostgresBindings()
        for _ in 0..<65_535 { bindings.append(true) }
        try bindings.checkLimits()
        bindings.append(true)
        #expect(throws: PostgresError(.tooManyParameters)) { try bindings.checkLimits() }
    }
}
