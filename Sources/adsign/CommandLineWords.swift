import ArgumentParser

/// The words of the command line, made ready for ArgumentParser.
///
/// A value may begin with one dash: the message for `--campaign-id -1` says that it is out of range. ArgumentParser
/// takes such a word for an option. Its way out, `.unconditional`, takes every word for a value. So if a value is
/// missing, it takes the next option: `--ad-network-id= --explain` signed for a network with the name `--explain`.
enum CommandLineWords {
    /// Joins an option with the value behind it if the value begins with one dash: `--campaign-id=-1`.
    ///
    /// - Throws: `ValidationError` for an option with `=` and no value, as a shell makes it of `--key="$UNSET"`, if
    ///   ArgumentParser would take the next word.
    static func prepared(_ words: [String]) throws -> [String] {
        // What stands behind it are values.
        let end = words.firstIndex(of: "--") ?? words.endIndex
        var prepared: [String] = []
        var index = words.startIndex
        while index < end {
            let word = words[index]
            index += 1
            guard word.hasPrefix("--"), index < end else {
                prepared.append(word)
                continue
            }
            let next = words[index]
            guard let equals = word.firstIndex(of: "=") else {
                let isJoined = beginsWithOneDash(next)
                prepared.append(isJoined ? "\(word)=\(next)" : word)
                if isJoined { index += 1 }
                continue
            }
            guard word.index(after: equals) < word.endIndex || isOption(next) else {
                throw ValidationError("Missing value for '\(word[..<equals])'")
            }
            prepared.append(word)
        }
        return prepared + words[end...]
    }

    /// Whether a word can only be a value.
    ///
    /// The one option with one dash is `-h`, and `-` is a file.
    private static func beginsWithOneDash(_ word: String) -> Bool {
        word.hasPrefix("-") && !word.hasPrefix("--") && !["-", "-h"].contains(word)
    }

    /// Whether ArgumentParser does not take a word for a value.
    private static func isOption(_ word: String) -> Bool { word.hasPrefix("-") && word != "-" }
}
