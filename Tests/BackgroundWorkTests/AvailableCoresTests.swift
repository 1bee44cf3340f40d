import Testing

@testable import BackgroundWork

@Suite("The cores that the process may use") struct AvailableCoresTests {
    @Test(
        "The mask of the kernel is counted",
        arguments: [
            ("Name:\tx\nCpus_allowed:\tf\nCpus_allowed_list:\t0-3\n", 4), ("Cpus_allowed:\t00000000,00000003\n", 2),
            ("Cpus_allowed:\tffffffff,ffffffff\n", 64), ("Cpus_allowed:\t8\n", 1),
        ])
    func mask(status: String, count: Int) {
        #expect(AvailableCores.allowed(in: status) == count)
    }

    @Test("Nothing is made up if the kernel does not tell", arguments: ["", "Name:\tx\n", "Cpus_allowed:\t0\n"])
    func unknown(status: String) {
        #expect(AvailableCores.allowed(in: status) == nil)
    }

    @Test("There is at least one")
    func atLeastOne() {
        #expect(AvailableCores.count >= 1)
    }
}
