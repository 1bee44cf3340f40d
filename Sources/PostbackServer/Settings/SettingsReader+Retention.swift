import PostbackStore

extension SettingsReader {
    /// `BODY_RETENTION_DAYS`, `LOG_RETENTION_DAYS`, `ADDRESS_RETENTION_DAYS` and `READER_RETENTION_DAYS`.
    func retention() throws(SettingsError) -> RetentionRules {
        var rules = RetentionRules()
        rules.bodyDays = try days(.bodyRetention)
        rules.logDays = try days(.logRetention)
        rules.addressDays = try days(.addressRetention)
        rules.readerDays = try days(.readerRetention)
        // A reader keeps a day only if the day would leave without it.
        if rules.readerDays != nil, rules.bodyDays == nil, rules.logDays == nil {
            throw missing(.logRetention, because: .readerRetention)
        }
        return rules
    }

    private func days(_ key: Settings.Key) throws(SettingsError) -> Int32? {
        try integer(key, 1...36_500).map { Int32($0) }
    }
}
