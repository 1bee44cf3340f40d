/// A currency in the three capital letters of ISO 4217, such as `EUR`.
package struct CurrencyCode: Sendable, Hashable {
    /// The three letters.
    package let text: String

    /// What the value must be, to complete "must be …".
    package static let rule = "a currency in three capital letters (ISO 4217), such as EUR"

    /// The currency of a code; nil if it is none that was in use since 2020.
    package init?(_ text: String) {
        guard Self.codes.contains(text) else { return nil }
        self.text = text
    }

    /// The US dollar, the unit of the table of rates.
    package static let usDollar = CurrencyCode(unchecked: "USD")

    private init(unchecked text: String) {
        self.text = text
    }

    /// The national currencies without funds, metals and test codes, as of January 2026.
    ///
    /// A code is never removed, since stored schemes and costs may have it. So ANG, BGN, CUC, HRK, SLL and ZWL stay,
    /// which were withdrawn after 2020.
    ///
    /// Source: ISO 4217, list one, and list three for those that were withdrawn.
    private static let codes = Set(
        """
        AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF \
        CLP CNY COP CRC CUC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL \
        HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD \
        MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR \
        RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD \
        TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG ZWL
        """.split(separator: " ").map(String.init))
}
