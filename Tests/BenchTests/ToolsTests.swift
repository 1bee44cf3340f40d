import Foundation
import Testing

@testable import bench

/// Programs that a run starts.
struct ToolsTests {
    private func tools(_ environment: [String: String] = [:]) throws -> Tools {
        Tools(
            cores: try CoreSet.firstTwo(),
            environment: environment.merging(["PATH": "/usr/local/bin:/usr/bin:/bin"]) { mine, _ in mine })
    }

    @Test("Variables that mean another database or server do not reach the programs")
    func cleanEnvironment() {
        let environment = Tools.cleanEnvironment([
            "PGHOST": "a", "HTTP_PORT": "1", "ADMIN_TOKEN": "b", "CONFIG_FILE": "c", "VERIFIER": "openssl",
            "LC_ALL": "d",
        ])
        #expect(environment == ["VERIFIER": "openssl", "LC_ALL": "C"])
    }

    @Test("A program gets the environment of the run and what is changed for it, and nothing else")
    func environment() async throws {
        let output = try await tools(["A": "1", "B": "2"]).run("env", changes: ["B": "3"])
        #expect(output.split(separator: "\n").filter { !$0.hasPrefix("PATH=") }.sorted() == ["A=1", "B=3"])
    }

    @Test("A program that fails is told with its code and its last words")
    func failure() async throws {
        let tools = try tools()
        let error = await #expect(throws: BenchError.self) {
            try await tools.run("sh", ["-c", "echo first >&2; echo last >&2; exit 3"])
        }
        let text = try #require(error).description
        #expect(text.hasPrefix("sh ended with ") && text.contains("3") && text.hasSuffix("; last"), "\(text)")
    }

    @Test("Output goes to a file, which is made anew or grows")
    func outputFile() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "tools-\(UUID().uuidString)").path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let tools = try tools()
        for text in ["first", "second"] { try await tools.run("echo", [text], to: path) }
        try await tools.run("echo", ["third"], to: path, append: true)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "second\nthird\n")
    }

    @Test("A program runs beside a body, and is ended with SIGTERM after it")
    func besideBody() async throws {
        let folder = FileManager.default.temporaryDirectory.path()
        let log = folder + "tools-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: log) }
        let tools = try tools()
        let script = "trap 'echo ended >&2; exit 0' TERM; echo started >&2; while :; do sleep 0.05; done"
        let id = try await tools.with("sh", ["-c", script], folder: folder, log: log) { program in
            try await program.wait { (try? String(contentsOfFile: log, encoding: .utf8)) == "started\n" }
            return program.id
        }
        #expect(try String(contentsOfFile: log, encoding: .utf8) == "started\nended\n")
        #expect(kill(id, 0) == -1)
    }

    @Test("If a program ends before it is ready, its last words are told")
    func endedEarly() async throws {
        let folder = FileManager.default.temporaryDirectory.path()
        let log = folder + "tools-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: log) }
        let tools = try tools()
        let error = await #expect(throws: BenchError.self) {
            try await tools.with("sh", ["-c", "echo no port >&2; exit 1"], folder: folder, log: log) { program in
                try await program.wait { false }
            }
        }
        #expect(try #require(error).description.hasSuffix("no port"))
    }

    @Test("A lock is held once; the second one is told why")
    func lock() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "lock-\(UUID().uuidString)").path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let lock = try FileLock(path, or: "taken")
        #expect(throws: BenchError("taken")) { try FileLock(path, or: "taken") }
        lock.release()
        try FileLock(path, or: "taken").release()
    }
}
