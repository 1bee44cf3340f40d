import Money
import Testing

@Suite("Currencies")
struct CurrencyCodeTests {
    @Test(
        "Codes of ISO 4217 that are in use, or were withdrawn after 2020, are read",
        arguments: ["USD", "XOF", "ZWG", "HRK"])
    func known(_ text: String) {
        #expect(CurrencyCode(text)?.text == text)
    }

    @Test(
        "Codes of older currencies, funds, metals and tests, and other texts are refused",
        arguments: ["DEM", "CLF", "USN", "XAU", "XDR", "XTS", "XXX", "ABC", "usd", "US", "USDT", "", " USD", "ＵＳＤ"])
    func unknown(_ text: String) {
        #expect(CurrencyCode(text) == nil)
    }

    @Test("The US dollar is one of them")
    func usDollar() {
        #expect(CurrencyCode("USD") == .usDollar)
    }
}
