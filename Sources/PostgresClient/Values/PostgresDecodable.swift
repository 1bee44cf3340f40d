#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A type that decodes a value of a row from PostgreSQL's binary format.
///
/// The decoders are strict: `Int32` decodes `int4` only. A type of your own decodes one of the types here, and throws
/// `cell.failure(…)` if the value is out of its range.
package protocol PostgresDecodable: Sendable {
    /// Decodes a value.
    ///
    /// - Throws: `decoding`, naming the column.
    static func decode(from cell: PostgresCell) throws(PostgresError) -> Self
}

extension Optional: PostgresDecodable where Wrapped: PostgresDecodable {
    /// Decodes NULL as nil.
    package static func decode(from cell: PostgresCell) throws(PostgresError) -> Wrapped? {
        cell.isNull ? nil : try Wrapped.decode(from: cell)
    }
}

extension Int16: PostgresDecodable {
    /// Decodes `int2`.
    package static func decode(from cell: PostgresCell) throws(PostgresError) -> Int16 {
        try cell.decode(.int2, by: Int16.init(bigEndianBytes:))
    }
}

extension Int32: PostgresDecodable {
    /// Decodes `int4`.
    package static func decode(from cell: PostgresCell) throws(PostgresError) -> Int32 {
        try cell.decode(.int4, by: Int32.init(bigEndianBytes:))
    }
}

extension Int64: PostgresDecodable {
    /// Decodes `int8`.
    package static func decode(from cell: PostgresCell) throws(PostgresError) -> Int64 {
        try cell.decode(.int8, by: Int64.init(bigEndianBytes:))
    }
}

extension Bool: PostgresDecodable {
    /// Decodes `bool`.
    package static func decode(from cell: PostgresCell) throws(PostgresError) -> Bool {
        try cell.decode(.bool) { $0.count == 1 ? $0[0] != 0 : nil }
    }
}

extension Double: PostgresDecodable {
    /// Decodes `float8`; cast a `numeric` in the statement.
    package static func decode(from cell: PostgresCell) throws(PostgresError) -> Double {
        try cell.decode(.float8) { UInt64(bigEndianBytes: $0).map(Double.init(bitPattern:)) }
    }
}

extension String: PostgresDecodable {
    /// Decodes `text`, `varchar`, `bpchar`, `name` and `json`; cast an enumeration to `text` in the statement.
    package static func decode(from cell: PostgresCell) throws(PostgresError) -> String {
        try cell.decode(.text, .varchar, .bpchar, .name, .json) { String(validating: $0, as: UTF8.self) }
    }
}

extension [UInt8]: PostgresDecodable {
    /// Decodes `bytea`, and `json` and `text` as the bytes that were stored.
    package static func decode(from cell: PostgresCell) throws(PostgresError) -> [UInt8] {
        try cell.decode(.bytea, .json, .text) { [UInt8]($0) }
    }
}

extension UUID: PostgresDecodable {
    /// Decodes `uuid`.
    package static func decode(from cell: PostgresCell) throws(PostgresError) -> UUID {
        try cell.decode(.uuid) { bytes in
            bytes.count == 16 ? UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)) : nil
        }
    }
}

extension PostgresTimestamp: PostgresDecodable {
    /// Decodes `timestamptz`.
    package static func decode(from cell: PostgresCell) throws(PostgresError) -> PostgresTimestamp {
        try cell.decode(.timestamptz) { Int64(bigEndianBytes: $0).map(PostgresTimestamp.init(microsecondsSince2000:)) }
    }
}

extension PostgresDate: PostgresDecodable {
    /// Decodes `date`.
    package static func decode(from cell: PostgresCell) throws(PostgresError) -> PostgresDate {
        try cell.decode(.date) { Int32(bigEndianBytes: $0).map(PostgresDate.init(daysSince2000:)) }
    }
}

extension FixedWidthInteger {
    /// Reads an integer in network byte order; nil if the length is wrong.
    init?(bigEndianBytes bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.bitWidth / 8 else { return nil }
        self = bytes.reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
    }
}
