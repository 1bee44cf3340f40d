import StrictJSON

/// Why bytes are no JSON object nested at most eight levels deep, as postbacks are read; nil if they are one.
func refusal(of bytes: some Sequence<UInt8>) -> JSONError? {
    Array(bytes).withUnsafeBufferPointer { bytes in
        var scanner = JSONScanner(bytes, maximumDepth: 8)
        do throws(JSONError) {
            try scanner.scanDocument { (_, _) throws(JSONError) in }
            return nil
        } catch {
            return error
        }
    }
}

/// The same for a text.
func refusal(of text: String) -> JSONError? {
    refusal(of: text.utf8)
}
