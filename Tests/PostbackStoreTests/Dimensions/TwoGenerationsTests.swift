import Testing

@testable import PostbackStore

@Suite("Two generations")
struct TwoGenerationsTests {
    /// The keys below 100 that are known.
    private func known(_ dictionary: TwoGenerations<Int, Int>) -> Set<Int> {
        // Each is looked up in a copy, since a lookup changes generations.
        Set(
            (0..<100).filter { key in
                var copy = dictionary
                return copy.value(of: key) == key
            })
    }

    @Test("There are at most as many keys as the bound, or 2, and the last one is known", arguments: [0, 1, 2, 5, 10])
    func bound(_ bound: Int) {
        var dictionary = TwoGenerations<Int, Int>(bound: bound)
        for key in 0..<100 {
            _ = dictionary.add([key: key])
            #expect(dictionary.value(of: key) == key)
            _ = dictionary.value(of: key / 2)
            #expect(known(dictionary).count <= max(2, bound))
        }
    }

    @Test("A key that is asked for stays, and others are forgotten")
    func asked() {
        var dictionary = TwoGenerations<Int, Int>(bound: 10)
        for key in 0..<100 {
            _ = dictionary.add([key: key])
            #expect(dictionary.value(of: 0) == 0)
        }
        #expect(known(dictionary).isDisjoint(with: 1..<90))
    }

    @Test("What is forgotten is handed out, and all the rest is known")
    func forgotten() {
        var dictionary = TwoGenerations<Int, Int>(bound: 10)
        var forgotten: Set<Int> = []
        for key in stride(from: 0, to: 100, by: 2) {
            for generation in dictionary.add([key: key, key + 1: key + 1]) { forgotten.formUnion(generation.keys) }
        }
        #expect(forgotten.isDisjoint(with: known(dictionary)))
        #expect(forgotten.union(known(dictionary)) == Set(0..<100))
    }

    @Test("A known key that is added again takes no further room")
    func again() {
        var dictionary = TwoGenerations<Int, Int>(bound: 4)
        for _ in 0..<10 { #expect(dictionary.add([1: 1, 2: 2]).isEmpty) }
        #expect(known(dictionary) == [1, 2])
    }

    @Test("Many values at once are taken beside what was added before, up to a generation")
    func filled() {
        var dictionary = TwoGenerations<Int, Int>(bound: 8)
        _ = dictionary.add([1: 1])
        dictionary.fill([2: 2, 3: 3])
        #expect(known(dictionary) == [1, 2, 3])
        dictionary = TwoGenerations(bound: 8)
        dictionary.fill(Dictionary(uniqueKeysWithValues: (0..<50).map { ($0, $0) }))
        #expect(known(dictionary).count == 4)
    }

    @Test("Many values at once take no room from an old generation that is known")
    func notFilled() {
        var dictionary = TwoGenerations<Int, Int>(bound: 4)
        for key in [1, 2, 3] { _ = dictionary.add([key: key]) }
        dictionary.fill([4: 4])
        #expect(known(dictionary) == [1, 2, 3])
    }
}
