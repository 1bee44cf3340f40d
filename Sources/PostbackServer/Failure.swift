import Access
import AppStoreClient
import AppStoreData
import Archives
import ArgumentParser
import CampaignData
import ConversionSchemes
import DatabaseSchema
import EventLog
import Forwarding
import HTTPListener
import PostbackIngest
import PostbackService
import PostbackStore
import PostgresClient
import Reports
import ServerSettings

/// How the program tells an error: one clear line for each thing that is wrong, and the exit code that goes with it.
struct Failure {
    /// The exit codes, as in sysexits.h; `recount` has one of its own.
    enum Code: Int32 {
        /// A recount, or a comparison with Apple's history, found differences.
        case difference = 1
        /// The command line is wrong.
        case usage = 64
        /// Lines of an archive, or a file of the operator, were refused.
        ///
        /// Or there is no such scheme, identifier or destination, or a load can't be taken back, or an archive has nothing to
        /// compare. Or a cursor can't be continued. Or figures differ from the postbacks.
        case data = 65
        /// A file can't be read or written.
        case input = 66
        /// The database, a port or Apple's API is not available, or a test did not arrive.
        case unavailable = 69
        /// A fault of ours.
        case fault = 70
        /// Not now; later it may work.
        ///
        /// No identifier is free, a reader of the log still needs a day, or reports use the definitions. Or a replay is
        /// under way, or Apple wants a pause.
        case later = 75
        /// A setting, the key ring, the tokens, the certificate or the schema is wrong, or the role lacks a right in the
        /// database.
        case configuration = 78
    }

    let code: Code
    let texts: [String]

    init(_ error: any Error) {
        switch error {
        case let error as PostgresError where error.code == .invalidConfiguration:
            code = .configuration
            texts = ["\(Settings.Key.databaseURL.environmentName): must be a libpq connection string"]
            return
        case let error as SettingsErrors:
            code = .configuration
            texts = error.errors.map(\.description)
            return
        case let error as FailedCheck:
            code = .configuration
            texts = error.errors.flatMap { Failure($0).texts }
            return
        case let error as TokenFileError where error.isUnwritten: code = .input
        case is SettingsError, is KeyRingError, is TokenFileError, is CertificateFilesError, is SchemaError,
            is DistributionError, is MissingSecret, is NoStoreCredentials,
            is MissingRights, is NotOwner:
            code = .configuration
        case let error as PostgresError where error.sqlState == .insufficientPrivilege: code = .configuration
        case is ReportCommandError, is ValidationError: code = .usage
        case is RecountDifferences, is StoreDifferences: code = .difference
        case let error as StoreAPIError where error.isRateLimit: code = .later
        case let error as StoreAPIError where error.isTokenRefused: code = .configuration
        case AllocationError.noneFree: code = .later
        case is HeldDays, is DefinitionsInUse, ReplayError.running: code = .later
        case is FigureDifferences, is LogDifferences, is RefusedLines, is RefusedFiles, is SchemeOverlap,
            is SchemeInUse, is NoScheme, is NoDestination, is UnreadableDestination,
            is ReplayError:
            code = .data
        case LogError.cursorExpired, LogError.cursorUnknown, is LogReaderError: code = .data
        case is TokenRing.Refusal, is ArchiveMismatch, is RefusedFile, is AllocationError, is TakeBackError,
            is ReconciliationError, is RefusedStoreData, is SignedDataError:
            code = .data
        case is ArchiveError, is UnreadableFile, is ChangedFileError, is UnwrittenOutput: code = .input
        case is FailedTest, is FailedStoreTest, is StoreAPIError, is BodyArchiveError, is ImportError, is ListenerError,
            is PostgresError, is ReportError:
            code = .unavailable
        default: code = .fault
        }
        texts = [Self.text(error)]
    }

    /// One line; an error of the database has no names of our types in it.
    private static func text(_ error: any Error) -> String {
        switch error {
        case let error as PostgresError: "database: \(error.words)"
        case ReportError.cutOff(let cause): text(cause)
        default: "\(error)"
        }
    }
}
