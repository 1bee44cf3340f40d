-- wrk -t1 -s postbacks.lua URL -- FILE [RATE]
--
-- Posts each line of FILE once, and ends before its time when there are no more. With RATE, at so many requests a
-- second. At the end one line of JSON, see pace.lua.
local pace = dofile(debug.getinfo(1, "S").source:match("@(.*/)") .. "pace.lua")

local head = "POST /.well-known/skadnetwork/report-attribution/ HTTP/1.1\r\nHost: localhost\r\n"
    .. "Content-Type: application/json\r\nContent-Length: "
local requests = {}
local position = 0
local thread

-- There is one thread only; `done` below asks it for the time.
function setup(only) thread = only end

-- All are made here: what wrk does while it measures, the server cannot do on the same cores.
function init(arguments)
    for line in io.lines(arguments[1]) do
        requests[#requests + 1] = head .. #line .. "\r\n\r\n" .. line
    end
    math.randomseed(1)
    if arguments[2] then pace.at(tonumber(arguments[2])) end
end

function request()
    position = position + 1
    -- wrk asks for one before it begins, to look at it.
    if position == 2 then began = pace.now() end
    if position <= #requests then return requests[position] end
    -- The thread ends, but wrk sleeps on for the rest of its time.
    seconds = seconds or (pace.now() - began) / 1e3
    wrk.thread:stop()
    return requests[#requests]
end

function done(summary, latency) pace.print(summary, latency, thread:get("seconds")) end
