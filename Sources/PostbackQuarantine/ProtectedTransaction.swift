import AdAttribution
import Foundation

/// A transaction of the protected half, and the value that one of its bodies offers.
struct ProtectedTransaction: Sendable, Equatable {
    /// The key under which the postback would be counted, as text.
    let key: String
    /// The environment in which it would count.
    let environment: AttributionEnvironment
    /// The conversion value of the body.
    let offered: ReportedConversionValue

    init(key: String, environment: AttributionEnvironment, offered: ReportedConversionValue) {
        self.key = key
        self.environment = environment
        self.offered = offered
    }

    init(_ genuine: GenuineTransaction) {
        // No part contains a space.
        let parts = [
            genuine.environment.rawValue, genuine.attributionProtocol.rawValue, genuine.adNetworkID,
            genuine.transactionID.uuidString, "\(genuine.sequenceIndex.value)", "\(genuine.didWin)",
        ]
        key = parts.joined(separator: " ")
        environment = genuine.environment
        offered = genuine.conversionValue
    }
}
