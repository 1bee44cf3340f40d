import Foundation
import TestSupport

/// What an export wrote.
enum EventFiles {
    /// The names of everything in its folder.
    static func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    /// The names of its files of events, without those that are being written.
    static func finished(in folder: String) throws -> [String] {
        try names(in: folder).filter { $0.hasPrefix("events-") && !$0.hasSuffix(".part") }
    }

    /// The events of all finished files, in the order of lane, position and ordinal.
    static func events(in folder: String) throws -> [NSDictionary] {
        try events(finished(in: folder).flatMap { try Data(contentsOf: URL(filePath: folder + "/" + $0)) })
    }

    /// The events of lines, in the same order.
    static func events(_ lines: some Sequence<UInt8>) throws -> [NSDictionary] {
        func key(_ event: NSDictionary) -> [Int64] {
            ["lane", "position", "ordinal"].map { (event[$0] as? NSNumber)?.int64Value ?? -1 }
        }
        return try Array(lines).split(separator: UInt8(ascii: "\n")).map { try TestDatabase.event($0) }
            .sorted { key($0).lexicographicallyPrecedes(key($1)) }
    }
}
