import TestSupport
import Testing

@testable import AppStoreData

/// Whatever is kept of a request, the shared secret is not in it.
@Suite("Bodies without the secret")
struct SecretRemovalTests {
    private func kept(_ body: String) -> String {
        String(decoding: StoreNotification.withoutSecret(Array(body.utf8)), as: UTF8.self)
    }

    @Test(
        "In JSON the value has another text, and every other byte stays",
        arguments: [
            (#"{"password":"s3cret","bid":"a"}"#, #"{"password":"removed","bid":"a"}"#),
            (#"{ "a" : 1 , "password" : "s3cret" }"#, #"{ "a" : 1 , "password" : "removed" }"#),
            (#"{"pass\u0077ord":"s3cret"}"#, #"{"pass\u0077ord":"removed"}"#),
            (#"{"PASSWORD":"s3cret"}"#, #"{"PASSWORD":"removed"}"#),
            (#"{"password":"s3\"cret\\","a":"b"}"#, #"{"password":"removed","a":"b"}"#),
            (#"{"password":12345}"#, #"{"password":"removed"}"#),
            (#"{"password":["s3cret",{"b":"]"}],"a":[]}"#, #"{"password":"removed","a":[]}"#),
            (#"{"password":{"s3cret":"}"} ,"a":null}"#, #"{"password":"removed" ,"a":null}"#),
            (#"{"a":{"password":"s3cret"}}"#, #"{"a":{"password":"removed"}}"#),
            (#"{"a":[{"password":true}]}"#, #"{"a":[{"password":"removed"}]}"#),
            (
                #"{"a":[[[[[[[[[[[[[[{"password":"s3cret"}]]]]]]]]]]]]]]}"#,
                #"{"a":[[[[[[[[[[[[[[{"password":"removed"}]]]]]]]]]]]]]]}"#
            ),
        ])
    func json(_ body: String, _ expected: String) {
        #expect(kept(body) == expected)
        #expect(kept(expected) == expected)
    }

    @Test(
        "A body without such a member stays as it is",
        arguments: [
            #"{"signedPayload":"eyJhbGciOiJFUzI1NiJ9.e30.c2ln"}"#, #"{"a":"password","b":["password"]}"#,
            #"{"passwords":"a","my password":"b"}"#, "{}", "", "not JSON", "\u{0}{",
            #"{"bid":"com.example.password","a":"{\"bid\":\"com.example.password\"}"}"#,
            #"{"a":"my \"password\" is gone","b":"{\"passwords\":1,\"my password\":2}","c":"\\"}"#,
        ])
    func unchanged(_ body: String) {
        #expect(kept(body) == body)
    }

    @Test(
        "A text that is JSON with the secret in it has another text, at any depth",
        arguments: [
            (
                #"{"body":"{\"notification_type\":\"CANCEL\",\"password\":\"s3cret\"}"}"#, #"{"body":"removed"}"#
            ),
            (#"{"a":["b", "{\"PassWord\" : \"s3cret\"}" ],"c":1}"#, #"{"a":["b", "removed" ],"c":1}"#),
            (#"{"a":{"b":"{\u0022password\u0022\n:s3cret}"}}"#, #"{"a":{"b":"removed"}}"#),
            (#"{"a":"{\"pass\\u0077ord\":\"s3cret\"}"}"#, #"{"a":"removed"}"#),
            (#"{"a":"{\"b\":\"{\\\"password\\\":\\\"s3cret\\\"}\"}"}"#, #"{"a":"removed"}"#),
            (#"{"a":"{\"b\":\"{\\\"pass\\\\u0077ord\\\":1}\"}","c":"d"}"#, #"{"a":"removed","c":"d"}"#),
            (#"{"a":"\"password\":\"s3cret","password":"s3cret"}"#, #"{"a":"removed","password":"removed"}"#),
        ])
    func wrapped(_ body: String, _ expected: String) {
        #expect(kept(body) == expected)
        #expect(kept(expected) == expected)
    }

    @Test(
        "What is not JSON ends behind the first name",
        arguments: [
            (#"{"bid":"a","password":"s3cret""#, #"{"bid":"a","password"#),
            (#"{"password":"s3cret","password":"s3cret"}"#, #"{"password"#),
            (#"{"a":"b, "password":"s3cret"}"#, #"{"a":"b, "password"#),
            (#"["password","s3cret"]"#, #"["password"#),
            (#"{"pass\u0077or\u0064":s3cret}"#, #"{"pass\u0077or\u0064"#),
            ("bid=a&Password=s3cret", "bid=a&Password"),
            (
                #"{"a":[[[[[[[[[[[[[[[{"password":"s3cret"}]]]]]]]]]]]]]]]}"#,
                #"{"a":[[[[[[[[[[[[[[[{"password"#
            ),
            (#"{"a":"{\"pass\\u0077ord\":\"s3cret\"}""#, #"{"a":"{\"pass\\u0077ord"#),
            (#"papassword=s3cret"#, "papassword"),
        ])
    func broken(_ body: String, _ expected: String) {
        #expect(kept(body) == expected)
        #expect(kept(expected) == expected)
    }

    @Test("UTF-16 and UTF-32 hide nothing", arguments: [2, 4])
    func wide(_ width: Int) {
        for leading in [true, false] {
            let zeros = [UInt8](repeating: 0, count: width - 1)
            let body = #"{"password":"s3cret"}"#.utf8.flatMap { leading ? zeros + [$0] : [$0] + zeros }
            let kept = StoreNotification.withoutSecret(body)
            #expect(!kept.contains(UInt8(ascii: "3")))
            #expect(kept.count < body.count)
        }
    }

    @Test("No change of a body brings the secret back, unless it breaks name or secret themselves")
    func mutations() throws {
        let body = Array(#"{"bid":"com.example","password":"0123456789abcdef","unified_receipt":{"a":[1]}}"#.utf8)
        let start = try #require(body.indices.first { body[$0...].starts(with: "password".utf8) })
        var random = SeededGenerator(seed: 36)
        for _ in 0..<10 * Mutation.count {
            var changed = body
            let place = Int.random(in: 0..<body.count, using: &random)
            guard !(start..<start + 8).contains(place) else { continue }
            changed[place] = UInt8.random(in: 0...255, using: &random)
            let kept = StoreNotification.withoutSecret(changed)
            #expect(!kept.indices.contains { kept[$0...].starts(with: "0123456789abcdef".utf8) })
            #expect(StoreNotification.withoutSecret(kept) == kept)
        }
    }
}
