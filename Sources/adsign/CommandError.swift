import AdAttribution

/// Why a command failed: one line for stderr, and the exit code.
struct CommandError: Error {
    /// The exit codes of `adsign`, after sysexits.h.
    enum Code: Int32 {
        /// A verification, a delivery or a check failed.
        case verification = 1
        /// The command line is wrong.
        case usage = 64
        /// The input data are wrong.
        case data = 65
        /// An input or key file can't be read, or a key file can't be written.
        case file = 66
        /// A fault of ours or of the machine.
        case fault = 70
    }

    let code: Code
    /// What went wrong; nil if the lines that were already written say it.
    let message: String?

    init(_ code: Code, _ message: String? = nil) {
        self.code = code
        self.message = message
    }

    /// An error of an option with a wrong value.
    init(option error: FieldError) {
        self.init(.usage, error.description)
    }

    /// Writes the message to stderr.
    func report() {
        guard let message else { return }
        StandardStream.error("adsign: \(message)")
    }
}
