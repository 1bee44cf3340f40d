import AdAttribution
import Foundation
import StrictJSON

/// Signs NDJSON line by line, on many threads, in order and in bounded memory.
struct BatchSigner: Sendable {
    let key: SigningKey
    /// The values of fields that a line does not have.
    let defaults: ImpressionParameters
    /// The form of the output.
    ///
    /// A compact JWS is the member `jws-string`, so that each line is JSON.
    let format: ImpressionFormat

    /// The output for one chunk of lines.
    private struct Output: Sendable {
        var signed: [UInt8] = []
        var errors: [UInt8] = []
        var errorCount = 0
        var checked: [BatchWarnings.Line] = []
    }

    /// Signs a file, or standard input under the name `-`.
    ///
    /// - Throws: `CommandError` with code 65 if a line was wrong.
    func run(on path: String, threads: Int?) throws {
        var reader = LineReader(try InputFile(path))
        var errorCount = 0
        var warnings = BatchWarnings()
        let pipeline = OrderedPipeline(threads: threads) {
            try reader.next()
        } work: { chunk in
            try sign(chunk)
        } sink: { output in
            if !output.errors.isEmpty { StandardStream.error(output.errors) }
            errorCount += output.errorCount
            let warned = output.checked.flatMap { warnings.add($0) }
            if !warned.isEmpty { StandardStream.error(warned) }
            try StandardStream.output(output.signed)
        }
        try pipeline.run()
        for line in warnings.summary { StandardStream.error("adsign: \(line)") }
        guard errorCount == 0 else { throw CommandError(.data) }
    }

    private func sign(_ chunk: RecordChunk) throws -> Output {
        var output = Output()
        output.signed.reserveCapacity(chunk.bytes.count + chunk.records.count * 200)
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        for record in chunk.records {
            switch Result(catching: { () throws(ImpressionError) in try request(chunk.body(of: record)) }) {
            case .success((let request, let given)):
                if given.has(.nonce) || given.has(.timestamp) {
                    let age = given.timestamp.map { now - $0.milliseconds }
                    output.checked.append(BatchWarnings.Line(line: record.line, nonce: given.nonce, age: age))
                }
                output.signed.append(contentsOf: try sign(request).jsonBytes)
                output.signed.append(UInt8(ascii: "\n"))
            case .failure(let error):
                let start = output.signed.count
                Self.append(error, line: record.line, to: &output.signed)
                output.errors.append(contentsOf: output.signed[start...])
                output.errorCount += 1
            }
        }
        return output
    }

    private func sign(_ request: ImpressionRequest) throws(CommandError) -> SignedImpressionRequest {
        do throws(KeyError) {
            return try request.signed(with: key)
        } catch {
            throw CommandError(.fault, "\(error)")
        }
    }

    /// The request of a line, and the fields that it has with those of the options.
    private func request(
        _ line: [UInt8]
    ) throws(ImpressionError) -> (request: ImpressionRequest, given: ImpressionParameters) {
        var parameters = try ImpressionParameters(json: line)
        parameters.fill(from: defaults)
        do throws(FieldError) {
            return (try ImpressionRequest(parameters, format: format), parameters)
        } catch {
            throw .field(error)
        }
    }

    private static func append(_ error: ImpressionError, line: Int, to output: inout [UInt8]) {
        let member = JSONText.error(field: error.field, rule: error.rule)
        output.append(contentsOf: "{\"line\":\(line),\(member)}\n".utf8)
    }
}
