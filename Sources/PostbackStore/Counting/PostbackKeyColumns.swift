import AdAttribution
import Foundation

/// What makes two deliveries the same postback: the columns of the table's primary key.
struct PostbackKeyColumns: Sendable, Hashable, Comparable {
    let transactionID: UUID
    let environment: String
    let networkProtocol: String
    let adNetworkID: String
    let sequenceIndex: Int16
    let didWin: Bool

    /// The columns, those that tell most first; named one by one, since a distributed table infers its constraint from
    /// them.
    static let names = "transaction_id, environment, protocol, ad_network_id, sequence_index, did_win"
    /// How many columns there are.
    static let count = 6

    init(_ verified: VerifiedPostback) {
        let postback = verified.postback
        transactionID = postback.transactionID.uuid
        environment = verified.environment.rawValue
        networkProtocol = postback.attributionProtocol.rawValue
        adNetworkID = postback.adNetworkID.lowercased
        sequenceIndex = Int16(postback.sequenceIndex.value)
        didWin = postback.didWin
    }

    init(_ columns: inout ColumnCursor) throws {
        transactionID = try columns.next()
        environment = try columns.next()
        networkProtocol = try columns.next()
        adNetworkID = try columns.next()
        sequenceIndex = try columns.next()
        didWin = try columns.next()
    }

    /// The order in which every writer locks rows: by the UUID's bytes first, as PostgreSQL sorts them.
    static func < (left: PostbackKeyColumns, right: PostbackKeyColumns) -> Bool {
        if left.transactionID != right.transactionID { return left.transactionID < right.transactionID }
        return (left.environment, left.networkProtocol, left.adNetworkID, left.sequenceIndex, left.didWin ? 1 : 0)
            < (right.environment, right.networkProtocol, right.adNetworkID, right.sequenceIndex, right.didWin ? 1 : 0)
    }

    /// Hashes what hardly two postbacks share; equality compares all.
    func hash(into hasher: inout Hasher) {
        hasher.combine(transactionID)
        hasher.combine(sequenceIndex)
    }
}
