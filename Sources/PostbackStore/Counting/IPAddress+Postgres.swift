public import PostgresClient

extension IPAddress: PostgresEncodable {
    /// `inet`.
    public static var postgresType: PostgresType { .inet }

    /// Appends family, prefix length, a zero for `inet`, the number of bytes, and the bytes: the format of `inet_send`.
    public func encode(into buffer: inout [UInt8]) {
        let count = family.width / 8
        buffer.append(family == .ipv4 ? 2 : 3)
        buffer.append(UInt8(family.width))
        buffer.append(0)
        buffer.append(UInt8(count))
        for index in stride(from: count - 1, through: 0, by: -1) {
            buffer.append(UInt8(truncatingIfNeeded: bits >> (8 * index)))
        }
    }
}
