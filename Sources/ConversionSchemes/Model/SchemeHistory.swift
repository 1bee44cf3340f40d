package import AdAttribution

/// The schemes of one app, one after the other: their validities do not overlap.
package struct SchemeHistory: Sendable {
    /// One scheme of the app.
    package struct Entry: Sendable, Equatable {
        /// When it is valid; a successor may have closed it.
        package var validity: Validity
        /// SHA-256 of the canonical file.
        package let digest: [UInt8]

        /// Takes both.
        package init(validity: Validity, digest: [UInt8]) {
            self.validity = validity
            self.digest = digest
        }
    }

    /// What adding a scheme does.
    package enum Change: Sendable, Equatable {
        /// The same file is there already.
        case unchanged
        /// The scheme is new, with this validity. It closes the open scheme that began at `closes`.
        case added(Validity, closes: SchemeTime?)
        /// Another file with the same beginning is there. Only a scheme that is not in use may be replaced.
        case replaced(Validity)
    }

    /// The schemes in order.
    package private(set) var entries: [Entry]

    /// Takes the schemes that are there, in any order.
    package init(_ entries: [Entry] = []) {
        self.entries = entries.sorted { $0.validity.from < $1.validity.from }
    }

    /// Adds a scheme.
    ///
    /// An open scheme is closed by its successor, in whichever order the two are added.
    ///
    /// - Throws: `SchemeOverlap` if both would be valid at one time.
    package mutating func add(_ scheme: ConversionScheme, digest: [UInt8]) throws(SchemeOverlap) -> Change {
        let from = scheme.validity.from
        let same = entries.firstIndex { $0.validity.from == from }
        if let same, entries[same].digest == digest { return .unchanged }
        let successor = entries.first { $0.validity.from > from }?.validity
        guard let validity = Validity(from: from, to: scheme.validity.to ?? successor?.from) else {
            throw SchemeOverlap(scheme, successor ?? scheme.validity)
        }
        if let successor, let to = validity.to, to > successor.from { throw SchemeOverlap(scheme, successor) }
        if let same {
            entries[same] = Entry(validity: validity, digest: digest)
            return .replaced(validity)
        }
        let place = entries.firstIndex { $0.validity.from > from } ?? entries.count
        var closes: SchemeTime?
        if place > 0 {
            let predecessor = entries[place - 1].validity
            if let to = predecessor.to {
                if to > from { throw SchemeOverlap(scheme, predecessor) }
            } else if let closed = Validity(from: predecessor.from, to: from) {
                entries[place - 1].validity = closed
                closes = predecessor.from
            }
        }
        entries.insert(Entry(validity: validity, digest: digest), at: place)
        return .added(validity, closes: closes)
    }
}

/// Two schemes of one app would be valid at one time.
package struct SchemeOverlap: Error, Sendable, Equatable, CustomStringConvertible {
    /// The app.
    package let appID: AppID
    /// The validity of the scheme that was added.
    package let added: Validity
    /// The validity of the scheme that is there.
    package let present: Validity

    init(_ scheme: ConversionScheme, _ present: Validity) {
        appID = scheme.appID
        added = scheme.validity
        self.present = present
    }

    /// Two different files say what one validity means.
    package init(twice scheme: ConversionScheme) {
        self.init(scheme, scheme.validity)
    }

    /// The app, and both validities.
    package var description: String {
        "app \(appID.value): valid-from, valid-to: the validity \(added.shown) overlaps that of the scheme \(present.shown)"
    }
}

extension Validity {
    /// The validity in words, such as `from 2026-10-01T00:00:00Z on`.
    package var shown: String {
        to.map { "from \(from.text) to \($0.text)" } ?? "from \(from.text) on"
    }
}
