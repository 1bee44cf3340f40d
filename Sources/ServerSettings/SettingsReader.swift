import Access
import AuditTrail
import Configuration
import EventLog
import HTTPListener
import PostbackService
import PostbackStore

/// A setting that is missing or wrong.
package struct SettingsError: Error, CustomStringConvertible {
    /// The key, by its name in the environment.
    let key: String
    /// What it must be.
    let rule: String

    /// Takes the key, by its name in the environment, and what it must be.
    package init(key: String, rule: String) {
        self.key = key
        self.rule = rule
    }

    /// One line.
    package var description: String { "\(key): \(rule)" }
}

/// All settings that are missing or wrong; at least one.
package struct SettingsErrors: Error {
    /// In the order in which they were found.
    package let errors: [SettingsError]
}

/// Reads settings strictly: a value that is there but wrong is an error, never the default.
///
/// All of them are kept, so that one start names every wrong setting.
struct SettingsReader {
    let config: ConfigReader
    /// What was wrong so far.
    private(set) var errors: [SettingsError]

    /// Begins with what was wrong with the sources themselves.
    init(config: ConfigReader, errors: [SettingsError]) {
        (self.config, self.errors) = (config, errors)
    }

    /// Adds what is wrong with a setting; the first error of each is enough.
    mutating func refuse(_ key: Settings.Key, _ rule: String) {
        guard !isRefused(key) else { return }
        errors.append(SettingsError(key: key.environmentName, rule: rule))
    }

    /// Whether something was wrong with a setting.
    func isRefused(_ key: Settings.Key) -> Bool { errors.contains { $0.key == key.environmentName } }

    /// A text, or nil where the key is nowhere.
    mutating func text(_ key: Settings.Key) -> String? {
        let name = ConfigKey(stringLiteral: key.rawValue)
        if let text = config.string(forKey: name, isSecret: key.isSecret) { return text }
        // A number is a text too where JSON writes it without quotes; any other type is a mistake.
        if let integer = config.int(forKey: name, isSecret: key.isSecret) { return String(integer) }
        let isPresent =
            config.double(forKey: name, isSecret: key.isSecret) != nil
            || config.bool(forKey: name, isSecret: key.isSecret) != nil
            || config.stringArray(forKey: name, isSecret: key.isSecret) != nil
            || config.intArray(forKey: name, isSecret: key.isSecret) != nil
        if isPresent { refuse(key, "must be a string or an integer") }
        return nil
    }

    /// An integer within a range, or nil where the key is nowhere.
    mutating func integer(_ key: Settings.Key, _ range: ClosedRange<Int>) -> Int? {
        guard let text = text(key) else { return nil }
        guard let integer = Int(text), range.contains(integer) else {
            refuse(key, "must be an integer from \(range.lowerBound) to \(range.upperBound)\(shown(text, key))")
            return nil
        }
        return integer
    }

    /// An integer within a range, or nil where the key is nowhere or is `never`.
    mutating func integerOrNever(_ key: Settings.Key, _ range: ClosedRange<Int>) -> Int? {
        guard let text = text(key), text != "never" else { return nil }
        guard let integer = Int(text), range.contains(integer) else {
            let (least, greatest) = (range.lowerBound, range.upperBound)
            refuse(key, "must be an integer from \(least) to \(greatest), or never\(shown(text, key))")
            return nil
        }
        return integer
    }

    /// One of a few words, or nil where the key is nowhere.
    mutating func choice<Value: RawRepresentable & CaseIterable>(
        _ key: Settings.Key
    ) -> Value? where Value.RawValue == String {
        guard let text = text(key) else { return nil }
        guard let value = Value(rawValue: text) else {
            let words = Value.allCases.map(\.rawValue).joined(separator: ", ")
            refuse(key, "must be one of \(words)\(shown(text, key))")
            return nil
        }
        return value
    }

    /// `ADMIN_NAMES`.
    mutating func adminNames() -> AdminNames {
        guard let text = text(.adminNames) else { return AdminNames() }
        guard let names = AdminNames(text) else {
            refuse(.adminNames, "must be \(AdminNames.rule)\(shown(text, .adminNames))")
            return AdminNames()
        }
        return names
    }

    /// The path of a Unix socket, or nil where the key is nowhere.
    mutating func socketPath(_ key: Settings.Key) -> SocketPath? {
        guard let text = text(key) else { return nil }
        guard let path = SocketPath(text) else {
            refuse(key, "must be a path of 1 to \(SocketPath.maximumLength) bytes")
            return nil
        }
        return path
    }

    /// A token, or nil where the key is nowhere or empty.
    mutating func token(_ key: Settings.Key) -> BearerToken? {
        guard let text = text(key), !text.isEmpty else { return nil }
        guard let token = BearerToken(text) else {
            refuse(key, BearerToken.rule)
            return nil
        }
        return token
    }

    /// `WORKER_ADDRESSES`.
    mutating func workerAddresses() -> WorkerAddresses {
        guard let text = text(.workerAddresses) else { return WorkerAddresses() }
        do throws(WorkerAddressesError) {
            return try WorkerAddresses(text)
        } catch {
            refuse(.workerAddresses, "\(error)")
            return WorkerAddresses()
        }
    }

    /// The certificate of a listener and its private key, both or neither.
    mutating func certificate(_ certificatePath: Settings.Key, _ privateKeyPath: Settings.Key) -> CertificateFiles? {
        switch (text(certificatePath), text(privateKeyPath)) {
        case (nil, nil): return nil
        case (let certificate?, let key?):
            return CertificateFiles(
                certificatePath: certificate, privateKeyPath: key,
                certificateSetting: certificatePath.environmentName, privateKeySetting: privateKeyPath.environmentName)
        case (_?, nil): refuse(privateKeyPath, because: certificatePath)
        case (nil, _?): refuse(certificatePath, because: privateKeyPath)
        }
        return nil
    }

    /// `BODY_RETENTION_DAYS`, `LOG_RETENTION_DAYS`, `ADDRESS_RETENTION_DAYS`, `READER_RETENTION_DAYS`,
    /// `LOAD_RETENTION_DAYS` and `TRAIL_RETENTION_DAYS`.
    mutating func retention() -> RetentionRules {
        var rules = RetentionRules()
        rules.bodyDays = days(.bodyRetention)
        rules.logDays = days(.logRetention)
        rules.addressDays = days(.addressRetention)
        rules.readerDays = days(.readerRetention)
        rules.loadDays = days(.loadRetention)
        rules.trailDays = integerOrNever(.trailRetention, Int(PostbackStore.leastTrailDays)...36_500).map { Int32($0) }
        // A reader keeps a day only if retention would remove the day without it.
        if rules.readerDays != nil, rules.bodyDays == nil, rules.logDays == nil, !isRefused(.bodyRetention) {
            refuse(
                .logRetention,
                "must be a number of days too, since \(Settings.Key.readerRetention.environmentName) is one")
        }
        return rules
    }

    private mutating func days(_ key: Settings.Key) -> Int32? {
        integerOrNever(key, 1...36_500).map { Int32($0) }
    }

    /// Adds that a setting is missing which another one needs.
    mutating func refuse(_ key: Settings.Key, because other: Settings.Key) {
        refuse(key, "must be set too, since \(other.environmentName) is set")
    }

    private func shown(_ text: String, _ key: Settings.Key) -> String {
        key.isSecret ? "" : ", not \"\(text.prefix(60))\""
    }
}
