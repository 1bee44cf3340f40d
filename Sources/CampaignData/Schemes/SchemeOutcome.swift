package import AdAttribution
package import ConversionSchemes

/// What loading one scheme did.
package struct SchemeOutcome: Sendable, Equatable {
    /// The scheme.
    package let scheme: ConversionScheme
    /// What was changed.
    package let change: SchemeHistory.Change
}

/// A file would edit a scheme in use.
package struct SchemeInUse: Error, Sendable, Equatable, CustomStringConvertible {
    /// The app.
    package let appID: AppID
    /// The beginning of the scheme.
    package let validFrom: SchemeTime

    /// The app, the scheme, and what to do.
    package var description: String {
        "app \(appID.value): valid-from: a scheme valid from \(validFrom.text) is stored with another text and is in use, "
            + "since a postback was received after that; it can't be edited, only followed by another scheme"
    }
}

extension SchemeOutcome {
    /// What was done, in one line.
    package var text: String {
        let start = "app \(scheme.appID.value), \(scheme.name.text): "
        switch change {
        case .unchanged: return start + "is loaded already"
        case .added(let validity, let closes):
            let closed = closes.map { "; it closes the scheme from \($0.text)" } ?? ""
            return start + "loaded, valid \(validity.shown)\(closed)"
        case .replaced(let validity): return start + "replaced, valid \(validity.shown)"
        }
    }
}
