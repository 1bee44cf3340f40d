import Money
import Testing

@Suite("Amounts of money")
struct AmountTests {
    @Test(
        "A JSON number is read exactly, however it is written",
        arguments: [
            ("0", 0), ("0.1", 100_000), ("4.99", 4_990_000), ("1.50", 1_500_000), ("15e-1", 1_500_000),
            ("1E2", 100_000_000),
            ("0.000001", 1), ("1e-6", 1), ("-0", 0), ("-0.0", 0), ("0e99", 0), ("0.10000000000", 100_000),
            ("999999999999.999999", 999_999_999_999_999_999),
        ])
    func exact(_ text: String, _ millionths: Int64) {
        #expect(Amount(number: text)?.millionths == millionths)
    }

    @Test(
        "A number that is negative, too large or too fine is refused",
        arguments: [
            "-1", "-0.000001", "1000000000000", "1e12", "0.0000001", "1e-7", "1e9999", "1e99999", "", "x", "1.2.3",
        ])
    func refused(_ text: String) {
        #expect(Amount(number: text) == nil)
    }

    @Test(
        "A text of digits with at most six places is read exactly",
        arguments: [
            ("0", 0), ("12", 12_000_000), ("12.5", 12_500_000), ("007.50", 7_500_000), ("0.000001", 1),
            ("999999999999.999999", 999_999_999_999_999_999),
        ])
    func digits(_ text: String, _ millionths: Int64) {
        #expect(Amount(text)?.millionths == millionths)
    }

    @Test(
        "A text with a sign, an exponent, a separator or more than six places is refused",
        arguments: [
            "", "-1", "+1", "1.", ".5", "1.0000001", "1,5", "1e3", "1.2.3", "1000000000000", "NaN", " 1", "1 ", "٣",
            "0x1",
        ])
    func noDigits(_ text: String) {
        #expect(Amount(text) == nil)
    }

    @Test(
        "A number of a foreign format is rounded to six places",
        arguments: [
            ("4.989999999999", 4_990_000), ("4.9899994", 4_989_999), ("1e-7", 0), ("5e-7", 1), ("0.00000049", 0),
            ("3", 3_000_000),
        ])
    func rounded(_ text: String, _ millionths: Int64) {
        #expect(Amount(rounding: text)?.millionths == millionths)
    }

    @Test("A number that rounds beyond the greatest amount, or is negative, can't be rounded")
    func notRounded() {
        #expect(Amount(rounding: "999999999999.9999999") == nil)
        #expect(Amount(rounding: "-0.0000001") == nil)
        #expect(Amount(rounding: "1e300") == nil)
    }

    @Test("Amounts outside of 0 to 10^18 − 1 millionths do not exist, and the rule names the ends")
    func range() {
        #expect(Amount(millionths: -1) == nil)
        #expect(Amount(millionths: 1_000_000_000_000_000_000) == nil)
        #expect(Amount(millionths: 999_999_999_999_999_999) == .greatest)
        #expect(Amount(units: .max).text == "4294967295")
        #expect(Amount.rule == "a number from 0 to 999999999999.999999 with at most six decimal places, such as 12.50")
    }

    @Test("Whole units are told from amounts with decimal places")
    func wholeUnits() {
        #expect(Amount.zero.wholeUnits == 0)
        #expect(Amount.one.wholeUnits == 1)
        #expect(Amount.greatest.wholeUnits == nil)
    }

    @Test("An amount is written without needless zeros, and reads back as itself")
    func text() throws {
        for text in ["0", "0.1", "4.99", "100", "0.000001", "999999999999.999999", "12.345"] {
            let amount = try #require(Amount(number: text))
            #expect(amount.text == text)
            #expect(Amount(text) == amount)
        }
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<1_000 {
            let amount = try #require(
                Amount(millionths: Int64.random(in: 0..<1_000_000_000_000_000_000, using: &generator)))
            #expect(Amount(amount.text) == amount)
            #expect(Amount(number: amount.text) == amount)
        }
    }
}
