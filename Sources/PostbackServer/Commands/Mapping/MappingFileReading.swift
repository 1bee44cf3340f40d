import PostbackStore

extension CampaignMappingFile {
    /// Reads a mapping file, and checks its rows against each other.
    ///
    /// - Throws: `TableFileError`, `RefusedFile`.
    init(_ file: TableFile) throws {
        var entries: [Entry] = []
        try file.read(CampaignMapping.self) { entries.append(Entry($0, line: $1)) }
        self = try file.refusing { try CampaignMappingFile(entries) }
    }
}
