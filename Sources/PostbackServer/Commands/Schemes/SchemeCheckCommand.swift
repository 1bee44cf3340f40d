import AdAttribution
import ArgumentParser
import ConversionSchemes

/// The command `PostbackServer scheme check`.
struct SchemeCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check files of schemes, alone and against each other; needs no database.",
        discussion: """
            A file that breaks a rule is refused with line, field and rule. Values without a meaning are legal and \
            listed.

            Example:
              PostbackServer scheme check examples/scheme.json
            """)

    @Argument(help: ArgumentHelp("The files.", valueName: "file"))
    var files: [String]

    func run() throws {
        let schemes = try SchemeFiles.schemes(files)
        for (path, scheme) in zip(files, schemes) {
            print("\(path): good: app \(scheme.appID.value), \(scheme.name.text), valid \(scheme.validity.shown)")
            for notice in scheme.notices { ProgramLog.write("\(path): notice: \(notice)") }
        }
    }
}

extension ConversionScheme {
    /// What is legal, and yet worth a look.
    var notices: [String] {
        var notices: [String] = []
        let fine = unmapped
        if !fine.isEmpty, fine != [0...63] {
            notices.append("unmapped fine values: \(fine.map(\.shown).joined(separator: ", "))")
        }
        for window in windows.indices {
            let coarse = unmappedCoarse(window)
            if !coarse.isEmpty {
                let names = coarse.map(\.rawValue).joined(separator: ", ")
                notices.append("unmapped coarse values of window \(window): \(names)")
            }
        }
        if fine == [0...63], windows.allSatisfy(\.coarse.isEmpty) { notices.append("no value has a meaning") }
        return notices
    }
}
