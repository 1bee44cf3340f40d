import Destinations
import Foundation
import TestSupport
import Testing

extension ServerTests {
    @Suite("PostbackServer destination and PostbackServer forward", .installation)
    struct DestinationCommandTests {
        private static let file = """
            {
              "name": "partner", "url": "https://receiver.example/postbacks?token={secret:partner-token}",
              "headers": { "Authorization": "Bearer {secret:partner-key}" }, "body": "raw"
            }

            """

        @Test(
            "The file of each preset is good when it is filled in, and refused with the places before that",
            arguments: DestinationPreset.allCases)
        func presets(preset: DestinationPreset) async throws {
            let installation = try Installation.current
            let made = try await ServerCommand.run([
                "destination", "new", "--preset", preset.rawValue, "--name", "mine",
            ])
            #expect(made.code == 0 && made.output.contains("\"name\": \"mine\""), "\(made)")
            try installation.write(made.output, to: "empty.json")
            try installation.write(made.output.replacing("FILL-IN", with: "receiver.example"), to: "filled.json")
            let empty = try await ServerCommand.run(["destination", "check", installation.folder + "/empty.json"])
            #expect(empty.code == (made.output.contains("FILL-IN") ? 65 : 0), "\(empty)")
            let filled = try await ServerCommand.run(["destination", "check", installation.folder + "/filled.json"])
            #expect(filled.code == 0 && filled.output.contains(": good: destination mine, "), "\(filled)")
        }

        @Test("A wrong file is refused with line, place and rule of each mistake, and then no file is loaded")
        func refused() async throws {
            let installation = try Installation.current
            try installation.write(Self.file, to: "good.json")
            try installation.write(
                """
                {
                  "name": "Bad name", "url": "https://user:pass@receiver.example/{campain}",
                  "body": "rare", "colour": "red"
                }
                """, to: "bad.json")
            let (good, bad) = (installation.folder + "/good.json", installation.folder + "/bad.json")
            for command in [["check"], ["load"], ["load", "--dry-run"]] {
                let refused = try await installation.run(["destination"] + command + [good, bad])
                #expect(refused.code == 65, "\(refused)")
                for place in [":2: name: ", ":2: url: ", ":3: body: ", ":3: colour: "] {
                    #expect(refused.errors.contains(bad + place), "\(place): \(refused.errors)")
                }
                #expect(!refused.errors.contains(good))
            }
            let twice = try await installation.run(["destination", "load", good, good])
            #expect(twice.code == 65 && twice.errors.contains("named partner"), "\(twice)")
            let missing = try await installation.run(["destination", "load", "/nowhere.json"])
            #expect(missing.code == 66, "\(missing)")
            #expect(try await installation.database.value("SELECT count(*) FROM attribution.destination") == "0")
        }

        @Test("What is shown is what was loaded, byte for byte; loading it again changes nothing; removing it is final")
        func loaded() async throws {
            let installation = try Installation.current
            try installation.write(Self.file, to: "partner.json")
            let load = ["destination", "load", installation.folder + "/partner.json"]
            let tried = try await installation.succeed(load + ["--dry-run"])
            #expect(tried == "dry run, nothing is stored: destination partner: added\n")
            #expect(try await installation.succeed(["destination", "list"]).contains("partner") == false)
            let added = try await installation.run(load)
            #expect(added.output == "destination partner: added\n", "\(added)")
            // Which secrets lack is told, by name.
            #expect(added.errors.contains("partner-token") && added.errors.contains("partner-key"), "\(added)")
            #expect(try await installation.succeed(load) == "destination partner: unchanged\n")
            #expect(try await installation.succeed(["destination", "show", "partner"]) == Self.file)
            let list = try await installation.run(["destination", "list"]).lines
            #expect(
                list.count == 2 && list[1].contains("active") && list[1].contains("{secret:partner-token}"), "\(list)")
            try installation.write(Self.file.replacing("postbacks", with: "others"), to: "partner.json")
            #expect(try await installation.succeed(load) == "destination partner: changed\n")
            let kept = try await installation.run(["destination", "remove", "--dry-run", "partner"])
            #expect(kept.code == 0 && kept.output.hasPrefix("dry run, "), "\(kept)")
            let removed = try await installation.run(["destination", "remove", "partner"])
            #expect(removed.code == 0 && removed.output.hasPrefix("destination partner removed; "), "\(removed)")
            #expect(try await installation.run(["destination", "show", "partner"]).code == 65)
            let readers = "SELECT count(*) FROM attribution.log_reader WHERE reader LIKE 'forward.%'"
            #expect(try await installation.database.value(readers) == "0")
            try await installation.database.expect(
                "SELECT action, subject, origin FROM attribution.trail ORDER BY entry",
                """
                action               subject  origin
                destination-load     partner  command line
                destination-load     partner  command line
                destination-removal  partner  command line
                """)
        }

        @Test("Pausing, resuming and retrying are in the trail, and status shows the state with its reason")
        func steered() async throws {
            let installation = try Installation.current
            try installation.write(Self.file, to: "partner.json")
            try await installation.succeed(["destination", "load", installation.folder + "/partner.json"])
            let pausing = try await installation.succeed(["forward", "pause", "partner", "--reason", "they move"])
            #expect(pausing == "destination partner: paused; servers see it within seconds\n")
            let paused = try await installation.succeed(["forward", "status"])
            #expect(paused.contains("paused") && paused.contains("partner: paused: they move\n"), "\(paused)")
            try await installation.succeed(["forward", "resume", "partner"])
            let active = try await installation.succeed(["forward", "status", "partner"])
            #expect(active.contains("active") && !active.contains("they move"), "\(active)")
            let retried = try await installation.succeed(["forward", "retry", "partner"])
            #expect(retried == "destination partner: 0 dead letters are tried again\n")
            // There is nothing to send again of days that have not come.
            let replayed = try await installation.run(
                ["forward", "replay", "partner", "--from", "2126-11-01", "--to", "2126-11-02"])
            #expect(replayed.code == 65, "\(replayed)")
            try await installation.database.expect(
                "SELECT action, subject FROM attribution.trail WHERE action <> 'destination-load' ORDER BY entry",
                """
                action                  subject
                destination-pause       partner
                destination-resumption  partner
                delivery-retry          partner
                """)
        }

        @Test("A destination whose file this version can't read is paused, and not said to be unknown")
        func unreadable() async throws {
            let installation = try Installation.current
            try installation.write(Self.file, to: "partner.json")
            try await installation.succeed(["destination", "load", installation.folder + "/partner.json"])
            try await installation.database.run(
                #"UPDATE attribution.destination SET document = '{"name": "partner"}'"#)
            let paused = try await installation.succeed(["forward", "pause", "partner"])
            #expect(paused == "destination partner: paused; servers see it within seconds\n")
            for command in [["destination", "show"], ["forward", "test"]] {
                let refused = try await installation.run(command + ["partner"])
                #expect(refused.code == 65 && refused.errors.contains("can't read its file"), "\(refused)")
            }
        }

        @Test("An unknown destination is exit code 65, a wrong argument 64, and both say what would be right")
        func wrong() async throws {
            let installation = try Installation.current
            let commands = [
                ["destination", "show"], ["destination", "remove"], ["forward", "status"], ["forward", "test"],
                ["forward", "pause"], ["forward", "resume"], ["forward", "retry"],
            ]
            for command in commands {
                let unknown = try await installation.run(command + ["nobody"])
                #expect(unknown.code == 65 && unknown.errors.contains("there is no destination nobody"), "\(unknown)")
                let wrong = try await installation.run(command + ["No Body"])
                #expect(wrong.code == 64 && wrong.errors.contains("must be a name of"), "\(wrong)")
            }
            for arguments in [
                ["destination", "new"], ["destination", "new", "--preset", "other"], ["destination", "load"],
                ["forward", "status", "a", "--limit", "0"], ["forward", "retry", "a", "--event", "x"],
                ["forward", "replay", "a", "--from", "2026-11-02", "--to", "2026-11-01"],
                ["forward", "replay", "a", "--from", "2026-11-02"], ["forward", "pause", "a", "--reason", ""],
            ] {
                let wrong = try await installation.run(arguments)
                #expect(wrong.code == 64, "\(arguments): \(wrong)")
            }
        }
    }
}
