import Glibc
import Testing

@testable import bench

/// What other programs print, and what the kernel tells, as numbers.
struct ReadingTests {
    @Test("The last line of wrk's output is its result; latencies are in microseconds")
    func wrk() throws {
        let line = #"{"requests":120000,"errors":0,"rate":11984.2,"seconds":10.013,"p50":4200,"p99":18900,"max":52000}"#
        let reading = try WrkReading(output: "Running 10s test @ http://127.0.0.1:20001\n\(line)\n")
        #expect(reading == WrkReading(requests: 120_000, errors: 0, rate: 11_984.2, p99: 18_900))
        #expect(HTTPReading(reading).p99 == 18.9)
    }

    @Test("A run of wrk with failed requests, or without a result, is no reading")
    func failedWrk() {
        let failed = #"{"requests":10,"errors":3,"rate":1.0,"seconds":10.0,"p50":1,"p99":2,"max":3}"#
        #expect(throws: BenchError("3 of 10 requests failed")) { try WrkReading(output: failed) }
        #expect(throws: BenchError("wrk printed no result but unable to connect")) {
            try WrkReading(output: "unable to connect")
        }
        #expect(throws: BenchError.self) { try WrkReading(output: "") }
    }

    @Test("openssl speed tells the rates of signing and verifying in its last line that begins with +F4")
    func openSSL() throws {
        let output = "Forked child 0\n+F4:3:256:42000.1:13500.2\n"
        #expect(try OpenSSLSpeed(output: output) == OpenSSLSpeed(signing: 42_000.1, verifying: 13_500.2))
    }

    @Test(
        "Output of openssl speed without a rate is refused",
        arguments: ["", "+F4:3:256", "+F4:3:256:x:y", "+F2:1:2:3:4"])
    func noRate(output: String) {
        #expect(throws: BenchError("openssl speed printed no rate")) { try OpenSSLSpeed(output: output) }
    }

    @Test("A process's name may hold spaces and brackets; its times are in clock ticks")
    func processStatus() throws {
        let stat = "4711 (postgres: a) b) S 17 4711 4711 0 -1 4194560 1 2 3 4 100 20 3 5 20 0 1 0 9 8 7"
        let status = try #require(ProcessStatus(stat: stat))
        #expect(status.id == 4_711)
        #expect(status.parent == 17)
        #expect(status.ticks == 120)
        #expect(status.childrenTicks == 8)
        #expect(!status.hasEnded)
        #expect(ProcessStatus(stat: stat.replacing(" S ", with: " Z "))?.hasEnded == true)
    }

    @Test(
        "A line that is cut off is no status", arguments: ["", "1", "1 (a", "1 (a) S 2 3", "x (a) S 1 2 3 4 5 6 7 8"])
    func cutStatus(stat: String) {
        #expect(ProcessStatus(stat: stat) == nil)
    }

    @Test("A family's time is that of the first process, of its ended children, and of its children; not of others")
    func family() throws {
        let processes = [(10, 1, 5, 50), (11, 10, 7, 70), (12, 10, 8, 0), (13, 11, 900, 0), (14, 1, 900, 900)]
            .compactMap {
                ProcessStatus(stat: "\($0) (p) S \($1) 0 0 0 0 0 0 0 0 0 \($2) 0 \($3) 0 0 0")
            }
        try #require(processes.count == 5)
        #expect(ProcessStatus.ticks(ofFamily: 10, among: processes) == 5 + 50 + 7 + 8)
    }

    @Test("This process's own status can be read")
    func ownStatus() throws {
        let status = try #require(ProcessStatus.of(getpid()))
        #expect(status.id == getpid())
        #expect(status.parent == getppid())
        #expect(try #require(ProcessStatus.peakMegabytes(of: getpid())) > 1)
        #expect(try ProcessStatus.all().contains { $0.id == getpid() })
    }

    @Test("Processor time is divided among the pieces of work, in microseconds")
    func processorTime() {
        let time = ProcessorTime(ticks: 130).micros(since: ProcessorTime(ticks: 100), for: 10_000, ticksPerSecond: 100)
        #expect(time == 30)
        #expect(ProcessorTime(ticks: 130).micros(since: ProcessorTime(ticks: 100), for: 0) == nil)
    }

    @Test("The share in which the cores worked leaves out the time in which they were idle or waited for the disk")
    func coreTimes() throws {
        let before = try #require(CoreTimes(stat: "cpu  100 0 50 800 20 1 2 3 0 0\ncpu0 1 2 3 4"))
        let after = try #require(CoreTimes(stat: "cpu  120 0 60 860 30 1 2 3 0 0\ncpu0 1 2 3 4"))
        #expect(before == CoreTimes(worked: 156, idle: 820))
        #expect(after.percentBusy(since: before) == 30)
        #expect(before.percentBusy(since: before) == 0)
        #expect(CoreTimes(stat: "intr 1 2 3") == nil)
    }

    @Test("A metric is summed over the samples with the label")
    func metrics() {
        let page = MetricsPage(
            text: """
                # TYPE adattribution_postbacks_total counter
                adattribution_postbacks_total{environment="test",outcome="accepted"} 1200
                adattribution_postbacks_total{environment="production",outcome="accepted"} 34
                adattribution_postbacks_total{environment="test",outcome="duplicate"} 5
                postbacks_total_other{outcome="accepted"} 1
                """)
        #expect(page.sum(of: "adattribution_postbacks_total", with: "outcome=\"accepted\"") == 1_234)
        #expect(page.sum(of: "nothing", with: "") == 0)
    }

    @Test("A plan's time is planning and execution together")
    func queryPlan() throws {
        let lines = ["Seq Scan on a  (rows=1)", "Planning Time: 1.500 ms", "  Buffers: 3", "Execution Time: 20.250 ms"]
        #expect(try QueryPlan.milliseconds(of: lines) == 21.75)
        #expect(throws: BenchError.self) { try QueryPlan.milliseconds(of: Array(lines.prefix(2))) }
    }

    @Test(
        "A plan's rows are those of its first line, before PostgreSQL 18 and after",
        arguments: ["(actual rows=31 loops=1)", "(actual rows=31.00 loops=1)"])
    func planRows(actual: String) throws {
        let first = "Sort  (cost=1.00..2.00 rows=7 width=8) " + actual
        #expect(try QueryPlan.rows(of: [first, "  ->  Seq Scan on a  (actual rows=9 loops=1)"]) == 31)
        #expect(throws: BenchError.self) { try QueryPlan.rows(of: ["Sort  (cost=1.00..2.00 rows=7 width=8)"]) }
    }

    @Test("bench load prints four numbers")
    func load() throws {
        let reading = try LoadReading(output: "50000 40000 7 30000000\n")
        #expect((reading.rate, reading.lastTenth, reading.lag) == (50_000, 40_000, 7))
        #expect(reading.count == 30_000_000)
        #expect(throws: BenchError.self) { try LoadReading(output: "50000 40000 7") }
    }

    @Test("The process of a cluster is in the line that tells its status")
    func clusterProcess() {
        #expect(
            MeasuredCluster.processID(in: "running, process 4711, postgresql:///attribution?host=/tmp/aa-x\n") == 4_711)
        #expect(MeasuredCluster.processID(in: "stopped\n") == nil)
    }
}
