-- wrk -s postbacks.lua URL -- FILE [RATE CONNECTIONS]
--
-- Posts each line of FILE once, every thread its own part; answers 404 for nothing, so that a run that comes to the end
-- shows as errors. With a rate, each connection pauses at random so that all of them together make about so many
-- requests a second. At the end one line of JSON: requests, errors, seconds, and latency in microseconds.
local threads = {}

function setup(thread)
    thread:set("number", #threads)
    table.insert(threads, thread)
end

function init(arguments)
    local count = tonumber(os.getenv("WRK_THREADS") or "1")
    bodies = {}
    local index = 0
    for line in io.lines(arguments[1]) do
        if index % count == number then bodies[#bodies + 1] = line end
        index = index + 1
    end
    rate = tonumber(arguments[2])
    connections = tonumber(arguments[3])
    math.randomseed(number + 1)
    position = 0
    head = "POST /.well-known/skadnetwork/report-attribution/ HTTP/1.1\r\nHost: localhost\r\n"
        .. "Content-Type: application/json\r\nContent-Length: "
end

function request()
    position = position + 1
    local body = bodies[position]
    if not body then return "GET /end HTTP/1.1\r\nHost: localhost\r\n\r\n" end
    return head .. #body .. "\r\n\r\n" .. body
end

function done(summary, latency, requests)
    local errors = summary.errors
    io.write(string.format(
        '{"requests":%d,"errors":%d,"seconds":%.6f,"p50":%d,"p99":%d,"max":%d}\n', summary.requests,
        errors.connect + errors.read + errors.write + errors.status + errors.timeout, summary.duration / 1e6,
        latency:percentile(50), latency:percentile(99), latency.max))
end
