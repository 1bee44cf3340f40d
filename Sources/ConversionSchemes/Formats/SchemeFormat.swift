import StrictJSON

/// A public format of other companies that says what conversion values mean.
package enum SchemeFormat: String, Sendable, CaseIterable {
    /// Google Ads API, `CustomerSkAdNetworkConversionValueSchema`.
    case googleAds = "google-ads"
    /// Google Analytics Admin API v1alpha, `SKAdNetworkConversionValueSchema`.
    case ga4
    /// The configuration that Meta's iOS SDK fetches.
    case meta
    /// The configuration that TikTok's iOS SDK fetches.
    case tiktok
    /// Branch's Conversion Value Mapping Partner API.
    case branch
}

/// What a converter gives, and what it could not carry over.
package struct Converted<Output: Sendable>: Sendable {
    /// The scheme, or the file.
    package let output: Output
    /// What was left out or changed, and where.
    package let notes: [SchemeNote]
}

extension SchemeFormat {
    /// Makes a scheme of a file in this format.
    ///
    /// What a scheme can't say is noted with its place.
    ///
    /// - Throws: Everything that is wrong with the file, or with the scheme that it would be.
    package func read(
        _ bytes: [UInt8], _ options: ImportOptions
    ) throws(SchemeErrors) -> Converted<ConversionScheme> {
        let findings = DocumentFindings()
        let scheme = try draft(bytes, options, findings).checked(findings)
        return Converted(output: scheme, notes: findings.notes.map(SchemeNote.init))
    }

    /// Writes a scheme in this format.
    ///
    /// The file is read back, and each difference is noted. So nothing is left out silently.
    package func write(_ scheme: ConversionScheme) -> Converted<[UInt8]> {
        let file = document(scheme).text()
        let notes = lost(scheme)
        let findings = DocumentFindings()
        do throws(SchemeErrors) {
            let draft = try draft(file, ImportOptions(scheme), findings)
            return Converted(output: file, notes: notes + draft.differences(from: scheme))
        } catch {
            let unread = error.errors.map { SchemeNote(place: "", text: "the file can't be read back: \($0)") }
            return Converted(output: file, notes: notes + unread)
        }
    }

    private func draft(
        _ bytes: [UInt8], _ options: ImportOptions, _ findings: DocumentFindings
    ) throws(SchemeErrors) -> SchemeDraft {
        var builder = SchemeBuilder(options, findings)
        if var root = try DocumentNode(file: bytes, findings: findings).object() {
            switch self {
            case .googleAds: GoogleAdsFormat.read(&root, &builder)
            case .ga4: AnalyticsFormat.read(&root, &builder)
            case .meta: MetaFormat.read(&root, &builder)
            case .tiktok: TikTokFormat.read(&root, &builder)
            case .branch: BranchFormat.read(&root, &builder)
            }
            root.noteOthers(SchemeNote.leftOut)
        }
        return try builder.draft()
    }

    private func document(_ scheme: ConversionScheme) -> JSONDocument {
        switch self {
        case .googleAds: GoogleAdsFormat.document(scheme)
        case .ga4: AnalyticsFormat.document(scheme)
        case .meta: MetaFormat.document(scheme)
        case .tiktok: TikTokFormat.document(scheme)
        case .branch: BranchFormat.document(scheme)
        }
    }

    /// What has no place in this format, or another sense in it, without which it would be read back the same.
    private func lost(_ scheme: ConversionScheme) -> [SchemeNote] {
        var lost = ["name", "valid-from"]
        if scheme.validity.to != nil { lost.append("valid-to") }
        if scheme.currency != nil, [.ga4, .branch].contains(self) || (self == .googleAds && !scheme.hasRevenue) {
            lost.append("currency")
        }
        if scheme.measurementWindowHours != nil {
            switch self {
            case .googleAds: break
            case .meta where MetaFormat.days(scheme) != nil: break
            default: lost.append("measurement-window-hours")
            }
        }
        if ![.googleAds, .branch].contains(self) { lost.insert("app-id", at: 0) }
        var notes = lost.map { SchemeNote(place: $0, text: "left out: \(rawValue) has no place for it") }
        if !scheme.bits.isEmpty {
            let count = scheme.bits.meanings().count
            notes.append(SchemeNote(place: "bits", text: "written as the \(count) values that they generate"))
        }
        switch self {
        case .ga4: notes += AnalyticsFormat.notes(scheme)
        case .meta: notes += MetaFormat.notes(scheme)
        case .tiktok: notes += TikTokFormat.notes(scheme)
        case .googleAds, .branch: break
        }
        return notes
    }
}
