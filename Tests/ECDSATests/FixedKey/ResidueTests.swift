import TestSupport
import Testing

@testable import ECDSA

/// Field and scalar arithmetic against libcrypto's big numbers, especially carries that no signature reaches.
@Suite("Residues", .heavyWork)
struct ResidueTests {
    static let moduli: [(name: String, prime: [UInt8])] = [
        ("P-192 prime", P192Prime.inversionExponent), ("P-192 order", P192Order.inversionExponent),
        ("P-256 prime", P256Prime.inversionExponent), ("P-256 order", P256Order.inversionExponent),
    ]

    /// Numbers at the edges of words and of the modulus, and random ones.
    private func numbers(_ modulus: BigNumber, _ count: Int) -> [[UInt8]] {
        var random = SeededGenerator(seed: UInt64(count))
        var candidates: [BigNumber] = []
        for bits in stride(from: 0, through: count * 8, by: 32) {
            var bytes = [UInt8](repeating: 0, count: count + 1)
            bytes[count - bits / 8] = 1
            let power = BigNumber(bigEndian: bytes)
            for offset in -2...2 { candidates.append(power + BigNumber(offset)) }
        }
        for offset in -4...4 { candidates.append(modulus + BigNumber(offset)) }
        for _ in 0..<25 { candidates.append(BigNumber(bigEndian: random.bytes(count))) }
        return candidates.filter { !$0.isNegative && $0 < modulus }.map { $0.bigEndian(count) }
    }

    private func check<Field: PrimeField>(_: Field.Type, _ inverse: (Field) -> Field) throws {
        let count = Field.byteCount
        let modulus = BigNumber(bigEndian: Field.inversionExponent) + BigNumber(2)
        func value(_ bytes: [UInt8]) throws -> Field {
            try #require(bytes.withUnsafeBytes { Field(bigEndian: $0) })
        }
        let numbers = numbers(modulus, count)
        try #require(numbers.count > 40)
        for left in numbers {
            let x = try value(left)
            let a = BigNumber(bigEndian: left)
            var failures: [String] = []
            func expect(_ actual: Field, _ expected: BigNumber, _ what: String) {
                if actual.bigEndian != (expected % modulus).bigEndian(count) { failures.append("\(what) of \(left)") }
            }
            expect(x, a, "reading")
            expect(x.negated, BigNumber(0) - a, "negation")
            expect(x.negated(false), a, "negation by false")
            expect(x.negated(true), BigNumber(0) - a, "negation by true")
            expect(x.squared, a * a, "square")
            expect(x.doubled, a + a, "doubling")
            if x.isZero {
                expect(inverse(x), BigNumber(0), "inverse")
            } else {
                expect(inverse(x), a.inverse(modulo: modulus), "inverse")
            }
            for right in numbers {
                let y = try value(right)
                let b = BigNumber(bigEndian: right)
                expect(x + y, a + b, "sum with \(right)")
                expect(x - y, a - b, "difference with \(right)")
                expect(x * y, a * b, "product with \(right)")
                if (x == y) != (left == right) { failures.append("equality with \(right)") }
            }
            #expect(failures == [])
        }
        // At the modulus and above nothing is read.
        for offset in 0..<3 {
            let bytes = (modulus + BigNumber(offset)).bigEndian(count)
            #expect(bytes.withUnsafeBytes { Field(bigEndian: $0) } == nil)
        }
        #expect([UInt8](repeating: 0xFF, count: count).withUnsafeBytes { Field(bigEndian: $0) } == nil)
        #expect([UInt8](repeating: 0, count: count + 1).withUnsafeBytes { Field(bigEndian: $0) } == nil)
        #expect([UInt8](repeating: 0, count: count - 1).withUnsafeBytes { Field(bigEndian: $0) } == nil)
    }

    @Test("Arithmetic in the field and the scalars of P-192 is that of libcrypto")
    func p192() throws {
        try check(P192.Field.self) { $0.variableTimeInverse }
        try check(P192.Scalar.self) { $0.variableTimeInverse }
    }

    @Test("Arithmetic in the field and the scalars of P-256 is that of libcrypto")
    func p256() throws {
        try check(P256.Field.self) { $0.variableTimeInverse }
        try check(P256.Scalar.self) { $0.variableTimeInverse }
    }

    private func checkInverses<Scalar: ScalarField>(_: Scalar.Type, _ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            var bytes = random.bytes(Scalar.byteCount)
            // Numbers of every length.
            let zeros = Int.random(in: 0..<Scalar.byteCount, using: &random)
            for index in 0..<zeros { bytes[index] = 0 }
            guard let value = bytes.withUnsafeBytes({ Scalar(bigEndian: $0) }), !value.isZero else { continue }
            #expect(value.variableTimeInverse * value == .one)
            #expect(value.variableTimeInverse == value.inverse)
        }
        #expect(Scalar.zero.variableTimeInverse == .zero)
        #expect(Scalar.one.variableTimeInverse == .one)
        #expect(Scalar.one.negated.variableTimeInverse == Scalar.one.negated)
    }

    @Test("The fast inverse is the one by Fermat's theorem")
    func inverses() throws {
        try checkInverses(P192.Scalar.self, 1)
        try checkInverses(P256.Scalar.self, 2)
    }

    private func checkDigits<Scalar: ScalarField>(_: Scalar.Type, width: Int) throws {
        let count = Scalar.byteCount
        let modulus = BigNumber(bigEndian: Scalar.inversionExponent) + BigNumber(2)
        let highest = 1 << (width - 1)
        for bytes in numbers(modulus, count) {
            let scalar = try #require(bytes.withUnsafeBytes { Scalar(bigEndian: $0) })
            var digits = [Int16](repeating: 0, count: (8 * count + width - 1) / width)
            let isNegated = digits.withUnsafeMutableBufferPointer { scalar.signedDigits($0, width: width) }
            #expect(digits.allSatisfy { (-highest...highest).contains(Int($0)) })
            var sum = BigNumber(0)
            for digit in digits.reversed() { sum = sum * BigNumber(2 * highest) + BigNumber(Int(digit)) }
            #expect(((isNegated ? BigNumber(0) - sum : sum) % modulus).bigEndian(count) == bytes)
        }
    }

    @Test("Signed digits add up to the scalar", arguments: [2, 7, 8, 10, 11, 14])
    func digits(width: Int) throws {
        try checkDigits(P192.Scalar.self, width: width)
        try checkDigits(P256.Scalar.self, width: width)
    }
}
