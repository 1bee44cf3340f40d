/// What each made-up app of the App Store sells.
///
/// The two subscriptions are one group: a customer has one of them at a time.
enum SimulatedProduct: String, Sendable, CaseIterable {
    case coins, chest, premium, monthly, yearly

    /// The product's id in an app.
    func id(in bundleID: String) -> String { "\(bundleID).\(rawValue)" }

    /// The price in milliunits of US dollars.
    var dollars: Int64 {
        switch self {
        case .coins: 990
        case .chest: 4_990
        case .premium: 9_990
        case .monthly: 6_990
        case .yearly: 59_990
        }
    }

    /// `type` of a transaction.
    var type: String {
        switch self {
        case .coins, .chest: "Consumable"
        case .premium: "Non-Consumable"
        case .monthly, .yearly: "Auto-Renewable Subscription"
        }
    }

    /// How long a paid period lasts: months of 30 days, years of 365; nil if it is no subscription.
    var period: Milliseconds? {
        switch self {
        case .coins, .chest, .premium: nil
        case .monthly: .days(30)
        case .yearly: .days(365)
        }
    }

    /// Whether a family can share it.
    var isShareable: Bool { self == .premium || self == .yearly }
}

/// A storefront with its currency.
struct SimulatedStorefront: Sendable {
    /// The country's code of three letters.
    let code: String
    /// Apple's number of it.
    let id: String
    let currency: String
    /// What a thousand US dollars cost there.
    private let rate: Int64
    /// Prices are multiples of it, in milliunits.
    private let step: Int64
    /// How often customers are there.
    let weight: Double

    /// A price in milliunits of the currency, from one in milliunits of US dollars.
    func price(_ dollars: Int64) -> Int64 { max(step, dollars * rate / 1_000 / step * step) }

    /// Currencies with two, none and three digits after the point.
    static let all = [
        SimulatedStorefront(code: "USA", id: "143441", currency: "USD", rate: 1_000, step: 10, weight: 40),
        SimulatedStorefront(code: "DEU", id: "143443", currency: "EUR", rate: 1_001, step: 10, weight: 20),
        SimulatedStorefront(code: "GBR", id: "143444", currency: "GBP", rate: 900, step: 10, weight: 15),
        SimulatedStorefront(code: "JPN", id: "143462", currency: "JPY", rate: 150_000, step: 10_000, weight: 15),
        SimulatedStorefront(code: "BRA", id: "143503", currency: "BRL", rate: 5_020, step: 10, weight: 7),
        SimulatedStorefront(code: "KWT", id: "143493", currency: "KWD", rate: 307, step: 1, weight: 3),
    ]
}
