import HTTPTypes

extension HTTPRequest {
    /// The declared length of the body.
    ///
    /// If it is too large for a number, it is the largest number.
    var declaredBodyLength: Int? {
        headerFields[.contentLength].map { Int($0) ?? .max }
    }

    /// Whether the client waits for `100 Continue` before it sends its body.
    var expectsContinue: Bool {
        headerFields[.expect]?.lowercased() == "100-continue"
    }

    /// Whether no request can follow on the connection: the client says so, or it asks for another protocol, after
    /// which the decoder reads no more requests.
    var isLastOfConnection: Bool {
        method == .connect || headerFields[.upgrade] != nil
            || headerFields[values: .connection].contains { values in
                values.split(separator: ",").contains { $0.trimming(" \t").lowercased() == "close" }
            }
    }
}

extension Substring {
    fileprivate func trimming(_ characters: String) -> Substring {
        let front = drop { characters.contains($0) }
        guard let last = front.lastIndex(where: { !characters.contains($0) }) else { return "" }
        return front[...last]
    }
}
