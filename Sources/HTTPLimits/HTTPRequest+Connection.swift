import HTTPTypes

extension HTTPRequest {
    /// The length of the body as declared; one too large for a number is as large as can be.
    var declaredBodyLength: Int? {
        headerFields[.contentLength].map { Int($0) ?? .max }
    }

    /// Whether the client waits for leave to send its body.
    var expectsContinue: Bool {
        headerFields[.expect]?.lowercased() == "100-continue"
    }

    /// Whether no request can follow on the connection: the client says so, or asks for another protocol, behind which
    /// the decoder reads no further request.
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
