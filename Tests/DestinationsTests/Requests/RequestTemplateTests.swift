import Destinations
import Testing

@Suite("Texts with macros")
struct RequestTemplateTests {
    @Test("A text names its secrets in order; braces that stand twice are no macros")
    func secrets() throws {
        let template = try RequestTemplate("Bearer {secret:b.token} {{secret:x}} {campaign} {secret:a_1}")
        #expect(template.secrets.map(\.description) == ["b.token", "a_1"])
        #expect(try RequestTemplate("").secrets.isEmpty)
    }

    @Test(
        "A brace that stands alone, an unknown macro and a wrong name of a secret are refused with the rule",
        arguments: [
            ("{", "pair of braces"), ("}", "pair of braces"), ("a}b", "pair of braces"),
            ("{campaign", "pair of braces"),
            ("{{{", "pair of braces"), ("{{campaign}", "pair of braces"), ("{}", #"unknown macro {""}"#),
            ("{Campaign}", "unknown macro {Campaign}"), ("{campaign }", "unknown macro {campaign }"),
            ("{raw}", "unknown macro {raw}"), ("{a\u{1B}[2J}", #"unknown macro {a\u001b[2J}"#),
            ("{secret:}", "wrong name"), ("{secret:../key}", "wrong name"), ("{secret:Token}", "wrong name"),
        ])
    func refused(_ text: String, rule: String) {
        let error = #expect(throws: TemplateError.self) { try RequestTemplate(text) }
        #expect(error?.rule.contains(rule) == true, "\(error?.rule ?? "")")
    }
}

@Suite("Macros")
struct MacroTests {
    /// A macro with its value for an event that has all of them, and for one that has few; nil if it is missing.
    private static let rows: [(macro: String, genuine: String?, bare: String?)] = [
        ("received", "2024-03-14T18:04:40.123Z", "2024-03-14T18:04:40.007Z"),
        ("received-seconds", "1710439480", "1710439480"), ("received-millis", "1710439480123", "1710439480007"),
        ("ip", "17.58.56.232", nil), ("user-agent", "App Store", nil),
        ("webhook-id", "pb_0-42185168781313-2", "pb_3-7-0"), ("kind", "accepted", "accepted"),
        ("environment", "production", "production"), ("protocol", "skadnetwork", "adattributionkit"),
        ("developer-copy", "false", "true"),
        ("transaction-id", "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28", "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28"),
        ("sequence-index", "0", "2"), ("version", "3.0", nil),
        ("ad-network-id", "example123.skadnetwork", "example123.adattributionkit"),
        ("app-id", "525463029", "525463029"),
        ("did-win", "true", "false"), ("redownload", "true", nil), ("fidelity-type", "1", nil),
        ("source-app-id", "1234567891", nil), ("source-domain", nil, nil), ("country", nil, nil),
        ("campaign", "42", "0039"), ("campaign-type", "campaign-id", "source-identifier"),
        ("skan-campaign-id", "42", nil), ("source-identifier", nil, "0039"),
        ("campaign-id", "J4gijuk04yCAm8RR", nil), ("campaign-name", #"Autumn "50%" & more"#, nil),
        ("adset-id", "set-7", nil), ("adset-name", "Players", nil), ("ad-id", "ad-9", nil),
        ("ad-name", "Blue video", nil), ("network-name", "Example", nil), ("conversion-value", "20", nil),
        ("coarse-value", nil, nil), ("event", "purchase", nil), ("tier", nil, nil), ("revenue-low", "0.99", nil),
        ("revenue-high", "4.99", nil), ("currency", "USD", nil),
    ]

    @Test("Each macro has the value of its event, and none if the event lacks it")
    func values() throws {
        let names = Set(Self.rows.map(\.macro)).union(["raw-base64", "raw-base64url", "attribution-signature"])
        #expect(names == Set(Macro.allCases.map(\.rawValue)))
        let events = (genuine: try ForwardedEvent.genuine(), bare: try ForwardedEvent.bare())
        for row in Self.rows {
            let document = DestinationDocument([
                "body": #""template""#, "template": #"["{\#(row.macro)}"]"#, "missing": #""dead-letter""#,
            ])
            let destination = try Destination(document.text)
            for (event, value) in [(events.genuine, row.genuine), (events.bare, row.bare)] {
                guard let value else {
                    #expect(destination.refusal(of: event) == "{\(row.macro)} has no value for this event")
                    continue
                }
                let bytes = try #require(try destination.request(for: event).body)
                #expect(try JSONArray.texts(bytes) == [value], "\(row.macro)")
            }
        }
    }

    @Test("Apple's signature comes out of the stored body, without escapes; a body without one has none")
    func signature() throws {
        let destination = try Destination(members: [
            "body": #""template""#, "template": #"["{attribution-signature}"]"#, "missing": #""dead-letter""#,
        ])
        let body = #"{"a":{"attribution-signature":"x"},"attribution\u002dsignature":"MEU\/+=="}"#
        #expect(try destination.bodyText(for: .bare(body: Array(body.utf8))) == #"["MEU/+=="]"#)
        for body in [#"{"attribution-signature":1}"#, "{}", "", #"{"attribution-signature":"x"}}"#] {
            let refusal = destination.refusal(of: try .bare(body: Array(body.utf8)))
            #expect(refusal == "{attribution-signature} has no value for this event", "\(body)")
        }
    }

    @Test("The stored body comes in both forms of base64")
    func base64() throws {
        let destination = try Destination(members: [
            "body": #""template""#, "template": #"["{raw-base64}", "{raw-base64url}"]"#,
        ])
        let event = try ForwardedEvent.bare(body: [0xFB, 0xEF, 0xFF, 0x00])
        #expect(try destination.bodyText(for: event) == #"["++//AA==","--__AA"]"#)
        #expect(try destination.bodyText(for: .bare()) == #"["",""]"#)
    }

    @Test("A value without quotes is a number, true, false or null; another text is refused with its macro")
    func numbers() throws {
        func destination(_ macro: String) throws -> Destination {
            try Destination(members: [
                "body": #""template""#, "template": #"{"a": {"number": "{\#(macro)}"}}"#,
            ])
        }
        for (macro, value) in [
            ("conversion-value", "20"), ("received-seconds", "1710439480"), ("revenue-low", "0.99"), ("campaign", "42"),
            ("did-win", "true"), ("source-identifier", "null"),
        ] {
            #expect(try destination(macro).bodyText(for: .genuine()) == #"{"a":\#(value)}"#)
        }
        for text in ["0039", "", "1,2", " 1", "1\n", "0x1", "1e", "NaN", "true", "\"1\"", "\u{661}", "-"] {
            let refusal = try destination("campaign").refusal(of: .bare(campaign: text))
            #expect(refusal?.hasPrefix("{campaign} must be a number, and is ") == true, "\(text)")
        }
    }

    @Test("Macros whose values are always texts are refused without quotes, and no others")
    func alwaysTexts() {
        let refused = Macro.allCases.map(\.rawValue).filter { macro in
            let members: KeyValuePairs = [
                "body": #""template""#, "template": #"{"a": {"number": "{\#(macro)}"}}"#,
            ]
            return (try? Destination(members: members)) == nil
        }
        #expect(
            Set(refused) == [
                "received", "ip", "user-agent", "webhook-id", "kind", "environment", "protocol", "transaction-id",
                "ad-network-id", "source-domain", "country", "campaign-type", "coarse-value", "currency",
                "attribution-signature", "raw-base64", "raw-base64url",
            ])
    }
}
