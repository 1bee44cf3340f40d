package import AdAttribution
package import TabularFiles

/// A row of `attribution.app_name`: what the operator calls an app.
package struct AppName: Sendable, Equatable {
    /// The advertised app or the source app.
    package let app: AppID
    /// The name, 1 to 200 bytes without control characters.
    package let name: String

    /// Takes both.
    package init(app: AppID, name: String) {
        self.app = app
        self.name = name
    }

    /// The texts of the columns of a file, in their order.
    package var fields: [String] { ["\(app.value)", name] }
}

extension AppName: TableRecord {
    /// The columns of a file of names, named as in the table.
    package enum Column: Int, TableColumn {
        case app
        case name

        /// The name in a file.
        package var name: String {
            switch self {
            case .app: "app_id"
            case .name: "app_name"
            }
        }

        /// Each row has both.
        package var isRequired: Bool { true }
    }

    /// Reads a row of a file of names.
    package init?(_ fields: inout FieldReader<Column>) {
        let app = fields.required(.app, AppID.rule) { FieldText.integer($0).flatMap(AppID.init) }
        let name = fields.required(.name, FieldText.nameRule, FieldText.name)
        guard fields.errors.isEmpty, let app, let name else { return nil }
        self.init(app: app, name: name)
    }
}

/// The names of a file, each app at most once.
package struct AppNameFile: Sendable {
    /// The names, in the order of the file.
    package private(set) var names: [AppName] = []
    private var lines: [AppID: Int] = [:]

    /// Starts without names.
    package init() {}

    /// Reads a whole file.
    ///
    /// - Throws: `TableErrors`.
    package init(reading file: [UInt8]) throws {
        var names = AppNameFile()
        try RecordReader<AppName>.read(file) { try names.take($0, line: $1) }
        self = names
    }

    /// Takes the next name.
    ///
    /// - Throws: `TableError` if an earlier row has the same app.
    package mutating func take(_ name: AppName, line: Int) throws(TableError) {
        if let other = lines.updateValue(line, forKey: name.app) {
            throw TableError(line: line, field: AppName.Column.app.name, rule: "line \(other) has the same app")
        }
        names.append(name)
    }
}
