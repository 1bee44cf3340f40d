/// A campaign: one network advertises one app.
///
/// It has a campaign id for SKAdNetwork up to 3.0. Its source identifiers end in the last two digits of it.
struct SimulatedCampaign: Sendable {
    /// The place of the network.
    let network: Int
    /// The place of the app.
    let app: Int
    /// The campaign id, 1…100.
    let number: Int
    /// The mean number of conversions a day.
    let installsADay: Double
    /// The share of users who pay, 0…1.
    let payingShare: Double

    /// The source identifier as an impression signs it, 1000…9999, as text.
    ///
    /// - Parameters:
    ///   - location: The third last digit, 0…9.
    ///   - placement: The first digit, 1…9.
    func sourceIdentifier(location: Int, placement: Int) -> String {
        String(placement * 1_000 + location * 100 + number % 100)
    }

    /// The campaign id of a campaign of a network for an app: the ids are spread over 1…100, as operators hand them
    /// out.
    static func number(rank: Int, network: Int, app: Int) -> Int {
        (rank * 37 + app * 11 + network * 5) % 100 + 1
    }
}

/// An advertised app of a simulation.
struct SimulatedApp: Sendable {
    /// Whether the app ever updates a value.
    let updates: Bool
    /// Whether its developer gets copies.
    let getsCopies: Bool
    /// Its value models.
    let models: AppModels
}
