/// The ranges of numbers in payloads of the App Store, which are those of the columns that hold them.
enum StoreRanges {
    /// Milliseconds since 1970, up to the end of the year 9999.
    static let time: ClosedRange<Int64> = 0...253_402_300_799_999
    /// Milliunits of a currency.
    static let price: ClosedRange<Int64> = 0...9_000_000_000_000
    /// How many consumables were bought at once.
    static let quantity: ClosedRange<Int64> = 1...1_000_000
    /// Thousandths of a percent.
    static let percentage: ClosedRange<Int64> = 0...100_000
    /// Numbers that stand for a kind, with room for those that Apple adds.
    static let kind: ClosedRange<Int64> = 0...32_767
    /// The App Store's number of an app; Apple says that there is none in the sandbox and in Xcode.
    static let appID: ClosedRange<Int64> = 0...Int64.max

    /// The greatest number of characters of an identifier, and of every other text without a limit of its own.
    static let text = 64
    /// The greatest number of characters of a bundle id or a product id.
    static let name = 255
}
