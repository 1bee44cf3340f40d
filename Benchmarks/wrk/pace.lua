-- What the scripts beside this file share: pausing, and the line at the end.
local ffi = require("ffi")

ffi.cdef([[
    struct bench_time { long seconds, nanoseconds; };
    int clock_gettime(int clock, struct bench_time *time);
]])

local pace = {}
local time = ffi.new("struct bench_time")

-- Milliseconds; Lua's own clock counts only the time that wrk has the processor.
function pace.now()
    ffi.C.clock_gettime(1, time)
    return tonumber(time.seconds) * 1e3 + tonumber(time.nanoseconds) / 1e6
end

-- Makes wrk send so many requests a second over all connections of a thread, at random moments, as independent senders
-- do. Whoever has an answer takes the next moment of one plan; what comes late goes at once and the plan stays, so that
-- the rate holds as long as the server can. wrk takes whole milliseconds, each of which sends what falls into it.
function pace.at(rate)
    local mean = 1000 / rate
    local moment
    function delay()
        moment = (moment or pace.now()) - mean * math.log(1 - math.random())
        return math.max(0, math.floor(moment - pace.now()))
    end
end

-- One line of JSON: requests, errors, requests a second, seconds (wrk's, if not given), and latency in microseconds. Of
-- the latencies, wrk counts a long one as if its connection had asked on meanwhile.
function pace.print(summary, latency, seconds)
    local errors = summary.errors
    seconds = seconds or summary.duration / 1e6
    io.write(string.format(
        '{"requests":%d,"errors":%d,"rate":%.1f,"seconds":%.3f,"p50":%d,"p99":%d,"max":%d}\n', summary.requests,
        errors.connect + errors.read + errors.write + errors.status + errors.timeout, summary.requests / seconds,
        seconds, latency:percentile(50), latency:percentile(99), latency.max))
end

return pace
