// Code that is inlined elsewhere may use only what was imported publicly.
#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A value that can be bound as a parameter, alone or as an element of an array.
package protocol PostgresEncodable: Sendable {
    /// The type that the parameter is declared with.
    static var postgresType: PostgresType { get }

    /// Appends the value in PostgreSQL's binary format, without its length.
    func encode(into buffer: inout [UInt8])
}

extension PostgresEncodable where Self: FixedWidthInteger {
    /// Appends the integer in network byte order.
    @inlinable
    package func encode(into buffer: inout [UInt8]) {
        buffer.append(bigEndian: self)
    }
}

extension Int16: PostgresEncodable {
    /// `int2`.
    package static var postgresType: PostgresType { .int2 }
}

extension Int32: PostgresEncodable {
    /// `int4`.
    package static var postgresType: PostgresType { .int4 }
}

extension Int64: PostgresEncodable {
    /// `int8`.
    package static var postgresType: PostgresType { .int8 }
}

extension Bool: PostgresEncodable {
    /// `bool`.
    package static var postgresType: PostgresType { .bool }

    /// Appends one byte, 0 or 1.
    @inlinable
    package func encode(into buffer: inout [UInt8]) {
        buffer.append(self ? 1 : 0)
    }
}

extension Double: PostgresEncodable {
    /// `float8`.
    package static var postgresType: PostgresType { .float8 }

    /// Appends the bit pattern in network byte order.
    @inlinable
    package func encode(into buffer: inout [UInt8]) {
        buffer.append(bigEndian: bitPattern)
    }
}

extension String: PostgresEncodable {
    /// `text`.
    package static var postgresType: PostgresType { .text }

    /// Appends the UTF-8 bytes.
    ///
    /// The server refuses a zero character with 22021.
    @inlinable
    package func encode(into buffer: inout [UInt8]) {
        buffer.append(contentsOf: utf8)
    }
}

extension UUID: PostgresEncodable {
    /// `uuid`.
    package static var postgresType: PostgresType { .uuid }

    /// Appends the 16 bytes.
    @inlinable
    package func encode(into buffer: inout [UInt8]) {
        withUnsafeBytes(of: uuid) { buffer.append(contentsOf: $0) }
    }
}

extension PostgresTimestamp: PostgresEncodable {
    /// `timestamptz`.
    package static var postgresType: PostgresType { .timestamptz }

    /// Appends the microseconds since 2000-01-01.
    @inlinable
    package func encode(into buffer: inout [UInt8]) {
        buffer.append(bigEndian: microsecondsSince2000)
    }
}

extension PostgresDate: PostgresEncodable {
    /// `date`.
    package static var postgresType: PostgresType { .date }

    /// Appends the days since 2000-01-01.
    @inlinable
    package func encode(into buffer: inout [UInt8]) {
        buffer.append(bigEndian: daysSince2000)
    }
}

extension [UInt8] {
    /// Appends an integer in network byte order.
    @inlinable
    mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    /// Overwrites four bytes that were appended before.
    @inlinable
    mutating func overwrite(at offset: Int, bigEndian value: Int32) {
        let value = UInt32(bitPattern: value)
        self[offset] = UInt8(truncatingIfNeeded: value >> 24)
        self[offset + 1] = UInt8(truncatingIfNeeded: value >> 16)
        self[offset + 2] = UInt8(truncatingIfNeeded: value >> 8)
        self[offset + 3] = UInt8(truncatingIfNeeded: value)
    }
}
