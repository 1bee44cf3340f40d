import Foundation

/// What a run says to whoever started it: line by line, also into a pipe.
enum Console {
    /// A line of the results.
    static func say(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }

    /// A line about something that is wrong.
    static func complain(_ line: String) {
        FileHandle.standardError.write(Data("bench: \(line)\n".utf8))
    }
}
