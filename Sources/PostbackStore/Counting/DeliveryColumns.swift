package import AdAttribution
import PostgresClient

/// The columns of the deliveries of a round, one array each, as parameters.
enum DeliveryColumns {
    private static let columns: [(name: String, type: String)] = [
        ("transaction_id", "uuid"), ("network", "smallint"), ("sequence_index", "smallint"), ("did_win", "boolean"),
        ("line", "integer"), ("source", "bigint"), ("traits", "integer"), ("value", "smallint"),
        ("received_at", "timestamptz"), ("source_address", "inet"), ("user_agent", "text"), ("payload", "text"),
    ]

    /// The arrays as the rows of a FROM clause.
    ///
    /// The lane is parameter 1, the arrays are parameters 2 and following.
    ///
    /// `ordinal` counts the deliveries from 1.
    static let rows: String = {
        let arrays = columns.enumerated().map { "$\($0.offset + 2)::\($0.element.type)[]" }
        let names = columns.map(\.name) + ["ordinal"]
        return
            "unnest(\(arrays.joined(separator: ", "))) WITH ORDINALITY AS delivery (\(names.joined(separator: ", ")))"
    }()

    /// The parameters: the lane, then the arrays.
    static func bindings(_ lane: Int16, _ batch: BatchDeliveries) -> PostgresBindings {
        let bodies = batch.deliveries.reduce(0) { $0 + $1.postback.body.count }
        var arrays = PostgresArrays(columns: columns.count, rows: batch.count, lastColumn: bodies)
        for (delivery, ids) in zip(batch.deliveries, batch.ids) {
            let key = StateKey(delivery, ids)
            arrays.beginRow()
            arrays.append(key.transactionID)
            arrays.append(key.network)
            arrays.append(key.sequenceIndex)
            arrays.append(key.didWin)
            arrays.append(ids.line)
            arrays.append(ids.source)
            arrays.append(ids.traits)
            arrays.append(StoredValue.number(delivery.postback.conversionValue))
            arrays.append(delivery.receivedAt)
            arrays.append(delivery.origin.ipAddress)
            arrays.append(delivery.origin.userAgent)
            arrays.append(text: delivery.postback.body)
        }
        var bindings = PostgresBindings()
        bindings.append(lane)
        bindings.append(consume arrays)
        return bindings
    }
}

/// A conversion value as one number, as in the tables.
///
/// Two values of one kind have the order of their numbers, and every value is higher than none.
package enum StoredValue {
    /// No value.
    package static let none: Int16 = -1

    /// The number of a value: -1 for none, 0 to 63 for a fine value, 101, 102, 103 for low, medium, high.
    package static func number(_ value: ReportedConversionValue) -> Int16 {
        switch value {
        case .none: none
        case .fine(let value): Int16(value.value)
        case .coarse(.low): 101
        case .coarse(.medium): 102
        case .coarse(.high): 103
        }
    }

    /// The value of a number; nil if no value has it.
    package static func value(_ number: Int16) -> ReportedConversionValue? {
        switch number {
        case none: ReportedConversionValue.none
        case 101: .coarse(.low)
        case 102: .coarse(.medium)
        case 103: .coarse(.high)
        default: ConversionValue(Int64(number)).map { .fine($0) }
        }
    }
}
