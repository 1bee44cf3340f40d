import AdAttribution
import Money
import StrictJSON

/// A scheme as it was read from a file, before it was checked.
struct SchemeDraft {
    /// One entry of the member `fine`.
    struct FineEntry {
        let values: ClosedRange<UInt8>
        let meaning: Meaning
        let place: DocumentPlace
    }

    /// One entry of the member `bits`.
    struct BitEntry {
        let field: BitField
        let place: DocumentPlace
    }

    /// Where a coarse meaning or the triggers of a window stand.
    struct WindowPlaces {
        var coarse: [CoarseConversionValue: DocumentPlace] = [:]
        var locks: DocumentPlace?
    }

    var appID: AppID
    var name: SchemeName
    var validFrom: SchemeTime
    var validTo: SchemeTime?
    var currency: CurrencyCode?
    var measurementWindowHours: Int64?
    var fine: [FineEntry] = []
    var bits: [BitEntry] = []
    var windows = [SchemeWindow](repeating: SchemeWindow(), count: 3)
    /// Of each window.
    var places = [WindowPlaces](repeating: WindowPlaces(), count: 3)
    /// Where the whole file begins.
    var place = DocumentPlace(line: 1, path: "")
    /// Where the beginning of the validity stands.
    var validFromPlace: DocumentPlace?
    /// Where the end of the validity stands.
    var validToPlace: DocumentPlace?

    init(appID: AppID, name: SchemeName, validFrom: SchemeTime) {
        self.appID = appID
        self.name = name
        self.validFrom = validFrom
    }
}
