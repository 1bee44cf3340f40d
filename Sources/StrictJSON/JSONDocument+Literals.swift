extension JSONDocument: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    package init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension JSONDocument: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int64) {
        self = .integer(value)
    }
}

extension JSONDocument: ExpressibleByBooleanLiteral {
    package init(booleanLiteral value: Bool) {
        self = .boolean(value)
    }
}

extension JSONDocument: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: JSONDocument...) {
        self = .array(elements)
    }
}

extension JSONDocument: ExpressibleByDictionaryLiteral {
    /// The members stay in their order.
    package init(dictionaryLiteral elements: (String, JSONDocument)...) {
        self = .object(elements.map { (name: $0, value: $1) })
    }
}
