import AppStoreData
import ECDSA
import Encodings

/// A text of signed data with the verdicts that it must get.
struct SignedDataCase: Sendable {
    let name: String
    let text: [UInt8]
    /// Ours.
    let verdict: Verdict
    /// Whether Apple's library accepts it; nil if its versions differ.
    let isApples: Bool?

    /// Everything that we refuse, and the forms that both must accept; each refusal that is stricter than Apple's too.
    static func all(_ store: TestStore) throws -> [SignedDataCase] {
        try [accepted, chains, headers, signatures, payloads, texts].flatMap { try $0(store) }
    }

    private static func accepted(_ store: TestStore) throws -> [SignedDataCase] {
        let stranger = try TestStore()
        let payloads = [
            #"{"receiptType":"Sandbox","receiptCreationDate":1761868800000}"#,
            #"{"signedDate":null,"receiptCreationDate":1761868800000}"#,
            #"{"signedDate":1761868800000,"receiptCreationDate":"not read"}"#,
        ]
        let headers = [
            store.header(more: #","typ":"JWT","kid":"a","unknown":[1,{"b":null}]"#),
            store.header().replacing("/", with: #"\/"#),
            store.header([store.leaf, store.intermediate, stranger.root]),
        ]
        var cases = [SignedDataCase("a good one", try store.text(), .accepted, true)]
        for payload in payloads {
            cases.append(SignedDataCase("the payload \(payload)", try store.text(payload: payload), .accepted, true))
        }
        for (number, header) in headers.enumerated() {
            cases.append(SignedDataCase("header \(number)", try store.text(header: header), .accepted, true))
        }
        return cases
    }

    private static func chains(_ store: TestStore) throws -> [SignedDataCase] {
        let (leaf, intermediate, root) = (store.leaf, store.intermediate, store.root)
        let untrusted = Verdict.refused(.untrustedChain, field: "x5c")
        func with(_ certificates: Certificate...) throws -> [UInt8] {
            try store.text(header: store.header(certificates))
        }
        let stranger = try TestStore()
        let noAuthority = try store.authority(isAuthority: false)
        let under = try store.otherLeaf(issuedBy: (noAuthority, store.intermediateKey))
        let direct = try store.otherLeaf(issuedBy: (root, store.rootKey))
        let alone = try CertificateMaker.make(
            subject: "Leaf", key: store.leafKey, issuedBy: nil, marker: [StoreMarker.leaf], isAuthority: false,
            validFrom: TestStore.first, validTo: TestStore.last)
        let oldKey = try SigningKey.generate(.p192)
        return try [
            SignedDataCase("four certificates", with(leaf, intermediate, root, root), untrusted, false),
            SignedDataCase("two certificates", with(leaf, intermediate), untrusted, false),
            SignedDataCase("one certificate", with(leaf), untrusted, false),
            SignedDataCase("no certificate", with(), untrusted, false),
            SignedDataCase("leaf and authority swapped", with(intermediate, leaf, root), untrusted, false),
            SignedDataCase(
                "another mark in the leaf",
                with(store.otherLeaf(marker: [StoreMarker.intermediate]), intermediate, root), untrusted, false),
            SignedDataCase(
                "no mark in the leaf", with(store.otherLeaf(marker: []), intermediate, root), untrusted, false),
            SignedDataCase(
                "the leaf's mark twice",
                with(store.otherLeaf(marker: [StoreMarker.leaf, StoreMarker.leaf]), intermediate, root), untrusted,
                false),
            SignedDataCase(
                "another mark in the authority", with(leaf, store.authority(marker: [StoreMarker.leaf]), root),
                untrusted, false),
            SignedDataCase("somebody else's root", stranger.text(), untrusted, false),
            SignedDataCase(
                "somebody else's leaf under our names",
                stranger.text(header: stranger.header([stranger.leaf, intermediate, root])), untrusted, false),
            SignedDataCase("an authority that is none", with(under, noAuthority, root), untrusted, false),
            SignedDataCase("a leaf of the root", with(direct, intermediate, root), untrusted, false),
            SignedDataCase("a leaf that signed itself", with(alone, intermediate, root), untrusted, false),
            SignedDataCase(
                "an authority that has ended", with(leaf, store.authority(validTo: 1_700_000_000), root), untrusted,
                false),
            SignedDataCase(
                "a leaf that is not valid yet", store.text(payload: #"{"signedDate":1649999999999}"#), untrusted,
                false),
            SignedDataCase("a leaf on P-192", with(store.otherLeaf(key: oldKey), intermediate, root), untrusted, false),
        ]
    }

    private static func headers(_ store: TestStore) throws -> [SignedDataCase] {
        let der = store.leaf.der
        func refused(
            _ field: String, _ name: String, _ header: String, isApples: Bool? = false
        ) throws -> SignedDataCase {
            SignedDataCase(name, try store.text(header: header), .refused(.malformed, field: field), isApples)
        }
        func leaf(_ text: String) -> String {
            store.header(x5c: TestStore.x5c([text] + [store.intermediate, store.root].map { Base64.encode($0.der) }))
        }
        let text = Base64.encode(der)
        return try [
            refused("alg", "alg none", store.header(algorithm: "none")),
            refused("alg", "alg RS256", store.header(algorithm: "RS256")),
            refused("alg", "alg ES384", store.header(algorithm: "ES384")),
            refused("alg", "alg in lower case", store.header(algorithm: "es256")),
            refused("alg", "no alg", store.header().replacing(#""alg""#, with: #""algorithm""#)),
            refused("x5c", "no x5c", #"{"alg":"ES256"}"#),
            refused("x5c", "x5c under another name", store.header().replacing(#""x5c""#, with: #""x5cwrong""#)),
            refused("x5c", "x5c null", store.header(x5c: "null")),
            refused("x5c", "x5c a string", store.header(x5c: #""abc""#)),
            refused("x5c", "x5c of numbers", store.header(x5c: "[1,2,3]")),
            refused("x5c", "half a certificate", leaf(Base64.encode(Array(der.prefix(der.count / 2))))),
            refused("x5c", "a byte behind a certificate", leaf(Base64.encode(der + [0])), isApples: true),
            refused("x5c", "an empty certificate", leaf("")),
            refused("x5c", "a line break in base64", leaf(String(text.prefix(64)) + "\n" + String(text.dropFirst(64)))),
            refused("x5c", "base64 that is not padded", leaf(text + "A")),
            refused(
                "x5c", "a third certificate that is not base64",
                store.header(
                    x5c: TestStore.x5c([store.leaf, store.intermediate].map { Base64.encode($0.der) } + ["?"])),
                isApples: true),
            refused("kid", "kid a number", store.header(more: #","kid":1"#)),
            refused("crit", "critical extensions", store.header(more: #","crit":["exp"]"#), isApples: nil),
            refused("b64", "a payload that is not encoded", store.header(more: #","b64":false"#)),
            refused("header", "a header with a key twice", store.header(more: #","alg":"ES256""#), isApples: true),
            refused("header", "a header that is an array", "[]"),
            refused("header", "a header that is cut", String(store.header().dropLast())),
            refused("header", "a header with more behind it", store.header() + "{}"),
        ]
    }

    private static func signatures(_ store: TestStore) throws -> [SignedDataCase] {
        func with(_ name: String, _ verdict: Verdict, _ change: ([UInt8]) -> [UInt8]) throws -> SignedDataCase {
            SignedDataCase(name, try store.text(signature: change), verdict, false)
        }
        let malformed = Verdict.refused(.malformed, field: "signature")
        let invalid = Verdict.refused(.invalidSignature, field: "signature")
        return try [
            with("a signature that is cut", malformed) { Array($0.dropLast()) },
            with("a longer signature", malformed) { $0 + [0] },
            with("half a signature", malformed) { Array($0.prefix(32)) },
            with("a signature as DER", malformed) { ECDSASignature.der(concatenated: $0) ?? [] },
            with("no signature", .refused(.malformed, field: "jws")) { _ in [] },
            with("a signature of zeros", invalid) { _ in [UInt8](repeating: 0, count: 64) },
            with("a signature of ones", invalid) { _ in [UInt8](repeating: 0xFF, count: 64) },
            with("R and S swapped", invalid) { Array($0[32...] + $0[..<32]) },
            SignedDataCase("another key's signature", store.text(key: store.intermediateKey), invalid, false),
        ]
    }

    private static func payloads(_ store: TestStore) throws -> [SignedDataCase] {
        func refused(_ field: String, _ payload: String, isApples: Bool = true) throws -> SignedDataCase {
            let name = "the payload \(payload.prefix(60))"
            return SignedDataCase(
                name, try store.text(payload: payload), .refused(.malformed, field: field), isApples)
        }
        let date = #""signedDate":1761868800000"#
        let deep = String(repeating: "[", count: 16) + String(repeating: "]", count: 16)
        return try [
            refused("signedDate", #"{"environment":"Sandbox"}"#),
            refused("signedDate", #"{"signedDate":1761868800000.5}"#),
            refused("signedDate", #"{"signedDate":1.7618688e12}"#),
            refused("signedDate", #"{"signedDate":"1761868800000"}"#),
            refused("signedDate", #"{"signedDate":false}"#, isApples: false),
            refused("signedDate", #"{"signedDate":-1761868800000}"#, isApples: false),
            refused("receiptCreationDate", #"{"receiptCreationDate":"1761868800000"}"#),
            // Five minutes and a millisecond after now, when the chain will be valid.
            refused("signedDate", #"{"signedDate":1800000300001}"#),
            refused("signedDate", #"{"signedDate":9223372036854775807}"#, isApples: false),
            refused("payload", "[]", isApples: false),
            refused("payload", "{\(date)", isApples: false),
            refused("payload", "{\(date),\"a\":1,\"a\":2}"),
            refused("payload", "{\(date),\"a\":\"\\ud800\"}"),
            refused("payload", "\u{FEFF}{\(date)}"),
            refused("payload", "{\(date),\"a\":\(deep)}"),
        ]
    }

    private static func texts(_ store: TestStore) throws -> [SignedDataCase] {
        let good = try store.text()
        let parts = good.split(separator: UInt8(ascii: "."))
        let tooLong = #"{"signedDate":1761868800000,"a":""# + String(repeating: "a", count: 65_536) + #""}"#
        func refused(_ name: String, _ text: [UInt8], isApples: Bool = false) -> SignedDataCase {
            SignedDataCase(name, text, .refused(.malformed, field: "jws"), isApples)
        }
        return [
            refused("nothing", []),
            refused("two parts", Array([parts[0], parts[1]].joined(separator: [UInt8(ascii: ".")]))),
            refused("four parts", good + Array(".AA".utf8)),
            refused("only dots", Array("..".utf8)),
            refused("padding", good + Array("==".utf8), isApples: true),
            refused("a line feed at the end", good + [0x0A]),
            refused("JSON", Array(TestStore.payload.utf8)),
            SignedDataCase(
                "more than 64 KiB", try store.text(payload: tooLong), .refused(.tooLarge, field: "jws"), true),
        ]
    }

    private init(_ name: String, _ text: [UInt8], _ verdict: Verdict, _ isApples: Bool?) {
        self.name = name
        self.text = text
        self.verdict = verdict
        self.isApples = isApples
    }
}
