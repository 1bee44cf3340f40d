import AdminAPI
import Configuration
import EventLog
import HTTPListener
import PostbackService
import PostbackStore

/// A setting that is missing or wrong.
struct SettingsError: Error, CustomStringConvertible {
    /// The key, by its name in the environment.
    let key: String
    /// What it must be.
    let rule: String

    var description: String { "\(key): \(rule)" }
}

/// Reads settings strictly: a value that is there but wrong is an error, never the default.
struct SettingsReader {
    let config: ConfigReader

    /// A text, or nil where the key is nowhere.
    func text(_ key: Settings.Key) throws(SettingsError) -> String? {
        let name = ConfigKey(stringLiteral: key.rawValue)
        if let text = config.string(forKey: name, isSecret: key.isSecret) { return text }
        // A number is a text too where JSON writes it without quotes; any other type is a mistake.
        if let integer = config.int(forKey: name, isSecret: key.isSecret) { return String(integer) }
        let isPresent =
            config.double(forKey: name, isSecret: key.isSecret) != nil
            || config.bool(forKey: name, isSecret: key.isSecret) != nil
            || config.stringArray(forKey: name, isSecret: key.isSecret) != nil
            || config.intArray(forKey: name, isSecret: key.isSecret) != nil
        guard !isPresent else { throw SettingsError(key: key.environmentName, rule: "must be a string or an integer") }
        return nil
    }

    /// An integer within a range, or nil where the key is nowhere.
    func integer(_ key: Settings.Key, _ range: ClosedRange<Int>) throws(SettingsError) -> Int? {
        guard let text = try text(key) else { return nil }
        guard let integer = Int(text), range.contains(integer) else {
            throw SettingsError(
                key: key.environmentName,
                rule: "must be an integer from \(range.lowerBound) to \(range.upperBound)\(shown(text, key))")
        }
        return integer
    }

    /// One of a few words, or nil where the key is nowhere.
    func choice<Value: RawRepresentable & CaseIterable>(
        _ key: Settings.Key
    ) throws(SettingsError) -> Value? where Value.RawValue == String {
        guard let text = try text(key) else { return nil }
        guard let value = Value(rawValue: text) else {
            let words = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw SettingsError(key: key.environmentName, rule: "must be one of \(words)\(shown(text, key))")
        }
        return value
    }

    /// `ADMIN_NAMES`.
    func adminNames() throws(SettingsError) -> AdminNames {
        guard let text = try text(.adminNames) else { return AdminNames() }
        guard let names = AdminNames(text) else {
            throw SettingsError(
                key: Settings.Key.adminNames.environmentName,
                rule: "must be \(AdminNames.rule)\(shown(text, .adminNames))")
        }
        return names
    }

    /// The path of a Unix socket, or nil where the key is nowhere.
    func socketPath(_ key: Settings.Key) throws(SettingsError) -> SocketPath? {
        guard let text = try text(key) else { return nil }
        guard let path = SocketPath(text) else {
            throw SettingsError(
                key: key.environmentName, rule: "must be a path of 1 to \(SocketPath.maximumLength) bytes")
        }
        return path
    }

    /// A token, or nil where the key is nowhere or empty.
    func token(_ key: Settings.Key) throws(SettingsError) -> BearerToken? {
        guard let text = try text(key), !text.isEmpty else { return nil }
        guard let token = BearerToken(text) else {
            throw SettingsError(key: key.environmentName, rule: BearerToken.rule)
        }
        return token
    }

    /// `WORKER_ADDRESSES`.
    func workerAddresses() throws(SettingsError) -> WorkerAddresses {
        guard let text = try text(.workerAddresses) else { return WorkerAddresses() }
        do throws(WorkerAddressesError) {
            return try WorkerAddresses(text)
        } catch {
            throw SettingsError(key: Settings.Key.workerAddresses.environmentName, rule: "\(error)")
        }
    }

    /// `TLS_CERTIFICATE_PATH` and `TLS_PRIVATE_KEY_PATH`, both or neither.
    func certificate() throws(SettingsError) -> CertificateFiles? {
        switch (try text(.certificatePath), try text(.privateKeyPath)) {
        case (nil, nil): return nil
        case (let certificate?, let key?): return CertificateFiles(certificatePath: certificate, privateKeyPath: key)
        case (_?, nil): throw missing(.privateKeyPath, because: .certificatePath)
        case (nil, _?): throw missing(.certificatePath, because: .privateKeyPath)
        }
    }

    /// `BODY_RETENTION_DAYS`, `LOG_RETENTION_DAYS`, `ADDRESS_RETENTION_DAYS`, `READER_RETENTION_DAYS` and
    /// `LOAD_RETENTION_DAYS`.
    func retention() throws(SettingsError) -> RetentionRules {
        var rules = RetentionRules()
        rules.bodyDays = try days(.bodyRetention)
        rules.logDays = try days(.logRetention)
        rules.addressDays = try days(.addressRetention)
        rules.readerDays = try days(.readerRetention)
        rules.loadDays = try days(.loadRetention)
        // A reader keeps a day only if retention would remove the day without it.
        if rules.readerDays != nil, rules.bodyDays == nil, rules.logDays == nil {
            throw missing(.logRetention, because: .readerRetention)
        }
        return rules
    }

    private func days(_ key: Settings.Key) throws(SettingsError) -> Int32? {
        try integer(key, 1...36_500).map { Int32($0) }
    }

    /// The error for a setting that another one needs.
    func missing(_ key: Settings.Key, because other: Settings.Key) -> SettingsError {
        SettingsError(key: key.environmentName, rule: "must be set too, since \(other.environmentName) is set")
    }

    private func shown(_ text: String, _ key: Settings.Key) -> String {
        key.isSecret ? "" : ", not \"\(text.prefix(60))\""
    }
}
