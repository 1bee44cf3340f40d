import Testing

@testable import BackgroundWork

@Suite("How busy the processors are")
struct ProcessorLoadTests {
    private let start = ContinuousClock.now

    private func share(
        _ before: (all: UInt64, idle: UInt64)?, _ after: (all: UInt64, idle: UInt64)?, process: Duration = .zero
    ) -> Double {
        ProcessorLoad.share(
            from: ProcessorLoad.Reading(machine: before, process: .zero, time: start),
            to: ProcessorLoad.Reading(machine: after, process: process, time: start + .seconds(1)), cores: 2)
    }

    @Test("It is what was not idle since the look before")
    func machine() {
        #expect(share((1_000, 400), (1_200, 450)) == 0.75)
        #expect(share((1_000, 400), (1_200, 400)) == 1)
        #expect(share((1_000, 400), (1_200, 600)) == 0)
    }

    @Test("A process that uses all of its cores is busy, whatever else the machine has")
    func process() {
        #expect(share((1_000, 400), (1_200, 600), process: .milliseconds(1_500)) == 0.75)
        #expect(share(nil, nil, process: .milliseconds(500)) == 0.25)
    }

    @Test("Counts that do not rise, or go back, give no share out of bounds")
    func bounds() {
        #expect(share((1_000, 400), (1_000, 400)) == 0)
        #expect(share((1_000, 400), (1_200, 300)) == 1)
        #expect(share(nil, nil, process: .seconds(3)) == 1)
    }

    @Test("The first line of the kernel's file has the ticks of all processors, a guest's in them")
    func parsing() throws {
        let text = "cpu  10 1 20 300 40 5 6 7 8 9\ncpu0 1 2 3 4 5 6 7 8 0 0\n"
        let machine = try #require(ProcessorLoad.machine(in: text))
        #expect(machine.all == 389)
        #expect(machine.idle == 340)
    }

    @Test(
        "Another text gives nothing",
        arguments: ["", "cpu0 1 2 3 4 5 6 7 8\n", "cpu  1 2 3\n", "cpu  a b c d e f g h\n"])
    func unreadable(text: String) {
        #expect(ProcessorLoad.machine(in: text) == nil)
    }

    @Test("A look at this machine gives a share")
    func here() {
        var load = ProcessorLoad()
        #expect((0...1).contains(load.look()))
    }
}
