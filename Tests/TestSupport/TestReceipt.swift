import AdAttribution

/// The content of a receipt, or of a purchase in it, put together by hand, so that any of its parts may be wrong.
package struct TestReceipt: Sendable {
    /// The device that the receipt is made for.
    package static let deviceID = [UInt8](repeating: 0xD1, count: 16)

    /// The attributes in their order.
    package var attributes: [(type: Int64, value: [UInt8])]

    /// Takes attributes.
    package init(_ attributes: [(type: Int64, value: [UInt8])]) {
        self.attributes = attributes
    }

    /// A receipt of the sandbox with these purchases.
    package static func sandbox(_ purchases: TestReceipt...) -> TestReceipt {
        let bundleID = text("com.example")
        var receipt = TestReceipt([
            (0, text("ProductionSandbox")), (1, integer([0])), (2, bundleID), (3, text("7")), (4, [1, 2, 3]),
            (5, SHA1.digest(deviceID + [1, 2, 3] + bundleID)), (12, date("2024-06-01T12:00:00Z")), (19, text("1.0")),
            (21, date("")),
        ])
        for purchase in purchases { receipt.attributes.append((17, purchase.content)) }
        return receipt
    }

    /// A receipt as Xcode makes them: of a type of its own, and without the version that was bought first.
    package static func xcode(_ purchases: TestReceipt...) -> TestReceipt {
        var receipt = sandbox()
        receipt[0] = text("Xcode")
        receipt[19] = nil
        receipt[21] = nil
        receipt.attributes.append((8, date("2024-06-01T12:00:00Z")))
        for var purchase in purchases {
            purchase[1703] = text("0")
            purchase[1719] = integer([0])
            receipt.attributes.append((17, purchase.content))
        }
        return receipt
    }

    /// A purchase at a time.
    package static func purchase(_ time: String = "2024-05-01T12:00:00Z") -> TestReceipt {
        TestReceipt([
            (1701, integer([2])), (1702, text("coins")), (1703, text("1000001")), (1704, date(time)),
            (1705, text("1000000")), (1706, date("2024-04-01T00:00:00Z")), (1708, date("2024-06-01T00:00:00.25Z")),
            (1711, integer([0x01, 0x00])), (1712, date("2024-05-02T02:00:00+02:00")), (1713, integer([1])),
            (1719, integer([1])),
        ])
    }

    /// The first value of a type; nil is none.
    package subscript(_ type: Int64) -> [UInt8]? {
        get { attributes.first { $0.type == type }?.value }
        set {
            let place = attributes.firstIndex { $0.type == type } ?? attributes.endIndex
            if place < attributes.endIndex { attributes.remove(at: place) }
            if let newValue { attributes.insert((type, newValue), at: place) }
        }
    }

    /// All of it as DER.
    package var content: [UInt8] {
        Self.der(
            0x31,
            attributes.flatMap { type, value in
                let number = type > 127 ? [UInt8(type >> 8), UInt8(type & 255)] : [UInt8(type)]
                return Self.der(0x30, Self.integer(number) + Self.integer([1]) + Self.der(0x04, value))
            })
    }

    /// A value with its tag and its length.
    package static func der(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        guard contents.count > 127 else { return [tag, UInt8(contents.count)] + contents }
        let digits = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: contents.count >> $0) }.drop { $0 == 0 }
        return [tag, 0x80 | UInt8(digits.count)] + digits + contents
    }

    /// A text.
    package static func text(_ text: String) -> [UInt8] { der(0x0C, Array(text.utf8)) }

    /// A date.
    package static func date(_ text: String) -> [UInt8] { der(0x16, Array(text.utf8)) }

    /// An integer out of its bytes.
    package static func integer(_ bytes: [UInt8]) -> [UInt8] { der(0x02, bytes) }
}
