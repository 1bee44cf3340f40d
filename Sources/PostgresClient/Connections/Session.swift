import CLibPQ
import Glibc

/// The owner of one libpq connection: sends, waits with a deadline, and receives.
///
/// Not `Sendable`: libpq allows one thread at a time, and the connection's thread is the one.
final class Session {
    private var handle: OpaquePointer?

    /// Connects.
    ///
    /// - Throws: `connectFailed` or `invalidConfiguration`, both without libpq's text.
    init(_ configuration: PostgresConfiguration) throws(PostgresError) {
        let parameters = try configuration.connectionParameters()
        handle = withCStrings(parameters.map(\.keyword)) { keywords in
            withCStrings(parameters.map(\.value)) { values in
                PQconnectStartParams(keywords, values, 1)
            }
        }
        do {
            try establish(Deadline(after: configuration.connectTimeout))
        } catch {
            close()
            throw error
        }
    }

    deinit {
        close()
    }

    /// True until the connection is lost or closed, as far as libpq knows.
    var isOpen: Bool { handle != nil && PQstatus(handle) == CONNECTION_OK }

    /// Whether a transaction is open.
    var transactionStatus: PGTransactionStatusType { PQtransactionStatus(handle) }

    /// Closes the connection, without waiting: the farewell is sent only as far as the socket takes it at once.
    func close() {
        guard let handle else { return }
        self.handle = nil
        PQfinish(handle)
    }

    /// Looks, without waiting, whether the server has closed an idle connection in the meantime.
    func checkIdle() -> Bool {
        // Notices and parameter changes may have come in; the end of the stream comes behind them.
        for _ in 0..<16 {
            guard isOpen else { return false }
            var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
            guard poll(&descriptor, 1, 0) > 0 else { return true }
            guard PQconsumeInput(handle) == 1, PQisBusy(handle) == 0 else { return false }
        }
        return false
    }

    /// Sends something and receives all of its results.
    ///
    /// - Parameters:
    ///   - timeout: How long the answer may take; the connection is closed when it is over.
    ///   - send: Calls one of libpq's `PQsend…` functions and returns what it returns.
    /// - Returns: The last result.
    /// - Throws: The first error the server answers; `connectionLost`, `deadlineExceeded`, `copyRefused`.
    func exchange(
        within timeout: Duration,
        _ send: (OpaquePointer) -> Int32
    ) throws(PostgresError) -> ResultStorage {
        guard let handle, isOpen, send(handle) == 1 else {
            close()
            throw PostgresError(.connectionLost)
        }
        let deadline = Deadline(after: timeout)
        try flush(until: deadline)
        return try answer(until: deadline)
    }

    /// Sends several prepared statements at once, and receives all of their results.
    ///
    /// - Parameters:
    ///   - count: The number of statements, at least 1.
    ///   - timeout: How long the answer may take; the connection is closed when it is over.
    ///   - results: Gets the result of each statement. After an error it has those of the statements before it.
    ///   - send: Calls one of libpq's `PQsend…` functions for the statement of an index and returns what it returns.
    /// - Throws: As `exchange`; the statements are rolled back then, unless the answer is missing.
    func pipeline(
        _ count: Int,
        within timeout: Duration,
        into results: inout [ResultStorage],
        _ send: (OpaquePointer, Int) -> Int32
    ) throws(PostgresError) {
        guard let handle, isOpen, PQenterPipelineMode(handle) == 1,
            (0..<count).allSatisfy({ send(handle, $0) == 1 }), PQpipelineSync(handle) == 1
        else {
            close()
            throw PostgresError(.connectionLost)
        }
        let deadline = Deadline(after: timeout)
        try flush(until: deadline)
        var failure: PostgresError?
        var isStatementEnd = false
        while true {
            guard let result = try receive(until: deadline) else {
                // NULL follows the result of each statement. A second one means that no more results come.
                guard isOpen, !isStatementEnd else {
                    close()
                    throw failure ?? PostgresError(.connectionLost)
                }
                isStatementEnd = true
                continue
            }
            isStatementEnd = false
            switch PQresultStatus(result.pointer) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
                results.append(result)
            case PGRES_PIPELINE_ABORTED:
                // The statement did not run, since one before it failed.
                continue
            case PGRES_PIPELINE_SYNC:
                // The results are known: it does not matter to them whether the connection can go on.
                if PQexitPipelineMode(handle) == 0 { close() }
                if let failure { throw failure }
                guard results.count == count else {
                    close()
                    throw PostgresError(.connectionLost)
                }
                return
            case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
                close()
                throw PostgresError(.copyRefused)
            default:
                let error = PostgresError(result: result.pointer, connectionIsBad: !isOpen)
                failure = failure ?? error
                if error.isConnectionLoss {
                    close()
                    throw failure ?? error
                }
            }
        }
    }

    /// All results of what was sent; the last of them, or the first error.
    private func answer(until deadline: Deadline) throws(PostgresError) -> ResultStorage {
        var last: ResultStorage?
        var failure: PostgresError?
        while let result = try receive(until: deadline) {
            switch PQresultStatus(result.pointer) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
                last = result
            case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
                close()
                throw PostgresError(.copyRefused)
            default:
                failure = failure ?? PostgresError(result: result.pointer, connectionIsBad: !isOpen)
            }
        }
        if let failure {
            if failure.isConnectionLoss { close() }
            throw failure
        }
        guard let last else {
            close()
            throw PostgresError(.connectionLost)
        }
        return last
    }
}

extension Session {
    private func establish(_ deadline: Deadline) throws(PostgresError) {
        guard let handle else { throw PostgresError(.connectFailed, reason: "out of memory") }
        // Severity and SQLSTATE only: this is where the texts with values in them are kept from being made.
        PQsetErrorVerbosity(handle, PQERRORS_SQLSTATE)
        // Notices would be written to standard error, with whatever they carry.
        PQsetNoticeReceiver(handle, { _, _ in }, nil)
        var step = PQstatus(handle) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING
        while step != PGRES_POLLING_OK {
            guard step != PGRES_POLLING_FAILED else {
                let failure = ConnectFailure(message: String(cString: PQerrorMessage(handle)))
                throw PostgresError(.connectFailed, sqlState: failure.sqlState, reason: failure.reason)
            }
            do {
                _ = try wait(for: step == PGRES_POLLING_READING ? POLLIN : POLLOUT, until: deadline)
            } catch {
                let reason = error.code == .deadlineExceeded ? "timed out" : "no connection"
                throw PostgresError(.connectFailed, reason: reason)
            }
            step = PQconnectPoll(handle)
        }
        guard PQsetnonblocking(handle, 1) == 0 else {
            throw PostgresError(.connectFailed, reason: "no connection")
        }
    }

    /// Writes what is to be sent, and reads meanwhile: otherwise both sides could wait for the other to read.
    private func flush(until deadline: Deadline) throws(PostgresError) {
        while PQflush(handle) == 1 {
            let ready = try wait(for: POLLIN | POLLOUT, until: deadline)
            if ready & ~POLLOUT != 0, PQconsumeInput(handle) == 0 { return }
        }
        // A failed write shows in the result, behind what the server may have said before it hung up.
    }

    private func receive(until deadline: Deadline) throws(PostgresError) -> ResultStorage? {
        while PQisBusy(handle) == 1 {
            _ = try wait(for: POLLIN, until: deadline)
            guard PQconsumeInput(handle) == 1 else { break }
        }
        return PQgetResult(handle).map(ResultStorage.init)
    }

    /// Waits until the socket is ready; closes the connection when the time is over.
    private func wait(for events: Int32, until deadline: Deadline) throws(PostgresError) -> Int32 {
        while true {
            // Read again each time: libpq opens another socket for the next address.
            let socket = PQsocket(handle)
            guard socket >= 0 else { throw PostgresError(.connectionLost) }
            var descriptor = pollfd(fd: socket, events: Int16(events), revents: 0)
            let milliseconds = deadline.remainingMilliseconds
            let count = poll(&descriptor, 1, milliseconds)
            if count > 0 { return Int32(descriptor.revents) }
            if count == 0, deadline.remainingMilliseconds == 0 {
                close()
                throw PostgresError(.deadlineExceeded)
            }
            if count < 0, errno != EINTR {
                close()
                throw PostgresError(.connectionLost)
            }
        }
    }
}

/// Lends C strings, followed by NULL, to a call.
private func withCStrings<Result>(
    _ strings: [String],
    _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
) -> Result {
    var bytes: [CChar] = []
    var offsets: [Int] = []
    for string in strings {
        offsets.append(bytes.count)
        bytes.append(contentsOf: string.utf8CString)
    }
    return bytes.withUnsafeBufferPointer { bytes in
        let pointers = offsets.map { bytes.baseAddress?.advanced(by: $0) } + [nil]
        return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
    }
}
