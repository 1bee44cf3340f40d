import AdAttribution
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

extension ServerPageTests {
    @Suite("The screens of the system and of live events", .server)
    struct SystemPageTests {
        @Test("The system shows versions, keys, readers and metrics by name, and no secret")
        func system() async throws {
            let (installation, server, client) = try RunningServer.current
            #expect(try await client.post(TestKeys.apple()).outcome == "accepted")
            let page = try PageClient.start(port: try await server.port(of: "admin"))
            try await page.signIn()
            let answer = try await page.get("/system")
            #expect(answer.status == 200)
            let migration = try #require(
                try await installation.database.value(
                    "SELECT name FROM attribution.schema_migration ORDER BY number DESC LIMIT 1"))
            for text in [
                "example123.skadnetwork", "load-test-p256", "apple-", "figures", migration,
                "PostgreSQL",
                "adattribution_postbacks_total{environment=&quot;production&quot;",
            ] {
                #expect(answer.text.contains(text), "\(text)")
            }
            // Numbers are aligned, and times have one form.
            #expect(answer.text.contains("<th scope=\"col\" class=\"number text\">Seconds behind</th>"))
            #expect(answer.text.contains(/<dt>Started at<\/dt><dd>[0-9-]{10} [0-9:]{8} UTC<\/dd>/))
            #expect(answer.text.contains("Signed in as the administrator (ADMIN_TOKEN)"))
            let secret = try #require(page.cookie).drop { $0 != "=" }.dropFirst()
            for secret in [
                Installation.token, String(secret), installation.database.url, "PRIVATE KEY",
                String(installation.networkKey.pem.split(separator: "\n")[1]),
            ] {
                #expect(!answer.text.contains(secret), "\(secret.prefix(4))")
            }
        }

        @Test("Events reach a browser that waits, newest last, and a page shows the last ones without a script")
        func live() async throws {
            let (_, server, client) = try RunningServer.current
            #expect(try await client.post(TestKeys.apple()).outcome == "accepted")
            let page = try PageClient.start(port: try await server.port(of: "admin"))
            #expect(try await page.get("/live/events").status == 303)
            try await page.signIn()
            let answer = try await page.get("/live")
            #expect(answer.status == 200 && answer.text.contains("<script src=\"/live.js\" defer>"))
            #expect(answer.headers.first(name: "Content-Security-Policy")?.contains("script-src 'self'") == true)
            #expect(answer.text.contains("<td>accepted</td>"))
            // A window has the name that it has on other screens.
            #expect(answer.text.contains("<td>first window (0)</td>") && !answer.text.contains("<td>0</td>"))
            // Networks, apps and campaigns lead to their figures.
            for link in [
                /href="\/\?environment=[a-z]+&amp;network=[a-z0-9.]+"/, /href="\/\?environment=[a-z]+&amp;app=[0-9]+"/,
                /href="\/campaign\?environment=[a-z]+&amp;network=[a-z0-9.]+&amp;app=[0-9]+&amp;campaign=[0-9]+"/,
            ] {
                let address = try #require(answer.text.firstMatch(of: link)).0.dropFirst(6).dropLast()
                let figures = try await page.get(String(address).replacing("&amp;", with: "&"))
                #expect(figures.status == 200, "\(address)")
            }
            #expect(
                try await page.get("/live.js").headers.first(name: "Content-Type")
                    == "text/javascript; charset=utf-8")
            #expect(try await page.get("/live/nothing").status == 404)
            var request = HTTPClientRequest(url: "http://127.0.0.1:\(page.port)/live/events")
            request.headers.add(name: "Cookie", value: try #require(page.cookie))
            let response = try await client.http.execute(request, timeout: .seconds(120))
            #expect(response.headers.first(name: "Content-Type") == "text/event-stream")
            var text = ""
            var isRaised = false
            for try await part in response.body {
                text += String(buffer: part)
                if !isRaised, text.contains("\"event\":\"accepted\"") {
                    isRaised = true
                    #expect(try await client.post(TestKeys.apple(conversionValue: 40)).outcome == "raised")
                }
                if text.contains("\"event\":\"raised\"") { break }
            }
            #expect(text.hasPrefix("retry: 2000\nevent: begin\n"))
            let events = text.split(separator: "\n").filter { $0.hasPrefix("data: {\"") }
            #expect(events.count == 2)
            let last = try JSONSerialization.jsonObject(with: Data(try #require(events.last).dropFirst(6).utf8))
            let members = try #require(last as? [String: Any])
            #expect(members["value"] as? String == "40" && members["event"] as? String == "raised")
            #expect(members["sequence_index"] as? String == "first window (0)")
        }

        @Test(
            "A stream of events ends when its session is signed out, here or on another server, or has expired",
            .installation)
        func liveEnds() async throws {
            let installation = try Installation.current
            let first = try await PageClient.start(on: installation)
            let second = try await PageClient.start(on: installation)
            for end in ["here", "there", "expired"] {
                try await first.signIn()
                let cookie = try #require(first.cookie)
                second.cookie = cookie
                var request = HTTPClientRequest(url: "http://127.0.0.1:\(first.port)/live/events")
                request.headers.add(name: "Cookie", value: cookie)
                let response = try await first.client.http.execute(request, timeout: .seconds(600))
                #expect(response.status == .ok)
                var parts = response.body.makeAsyncIterator()
                #expect(try await parts.next() != nil)
                switch end {
                case "expired":
                    try await installation.database.run(
                        "UPDATE attribution.page_session SET signed_in_at = now() - interval '13 hours'")
                default:
                    let page = end == "here" ? first : second
                    let answer = try await page.post(
                        "/sign-out", [("csrf", PageClient.csrf(try await page.get("/live")))])
                    #expect(answer.status == 303)
                }
                let ended = ContinuousClock.now
                while try await parts.next() != nil {}
                // By itself a stream lasts five minutes.
                #expect(ContinuousClock.now - ended < .seconds(120), "\(end)")
            }
        }

        @Test("HEAD of the events is refused, and takes no place", .installation)
        func liveHead() async throws {
            let installation = try Installation.current
            let page = try await PageClient.start(on: installation)
            try await page.signIn()
            let cookie = ("Cookie", try #require(page.cookie))
            for _ in 0..<20 {
                let answer = try await page.client.request(.HEAD, "/live/events", headers: [cookie])
                #expect(answer.status == 405 && answer.headers["Allow"] == ["GET"])
            }
            var request = HTTPClientRequest(url: "http://127.0.0.1:\(page.port)/live/events")
            request.headers.add(name: cookie.0, value: cookie.1)
            let response = try await page.client.http.execute(request, timeout: .seconds(120))
            #expect(response.status == .ok)
        }

        @Test("No more than eight browsers wait for events at once, and a server stops while they wait")
        func liveBound() async throws {
            let (_, server, client) = try RunningServer.current
            let page = try PageClient.start(port: try await server.port(of: "admin"))
            try await page.signIn()
            var request = HTTPClientRequest(url: "http://127.0.0.1:\(page.port)/live/events")
            request.headers.add(name: "Cookie", value: try #require(page.cookie))
            var open: [HTTPClientResponse] = []
            for _ in 0..<8 {
                let response = try await client.http.execute(request, timeout: .seconds(120))
                #expect(response.status == .ok)
                open.append(response)
            }
            let refused = try await client.http.execute(request, timeout: .seconds(120))
            #expect(refused.status == .serviceUnavailable)
            server.terminate()
            #expect(try await server.exitCode() == 0)
            #expect(open.count == 8)
        }
    }
}
