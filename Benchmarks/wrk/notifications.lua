-- wrk -t1 -s notifications.lua URL -- FILE [RATE]
--
-- Posts each line of FILE, a notification of the App Store, once, and ends before its time when there are no more. With
-- RATE, at so many requests a second. At the end one line of JSON, see pace.lua.
local pace = dofile(debug.getinfo(1, "S").source:match("@(.*/)") .. "pace.lua")

local head = "POST /v1/app-store/notifications HTTP/1.1\r\nHost: localhost\r\n"
    .. "Content-Type: application/json\r\nContent-Length: "
local position = 0
local lines, last, thread

-- There is one thread only; `done` below asks it for the time.
function setup(only) thread = only end

-- Lines are long, so that not all of them fit into Lua's memory: each is read when it is sent.
function init(arguments)
    lines = io.lines(arguments[1])
    math.randomseed(1)
    if arguments[2] then pace.at(tonumber(arguments[2])) end
end

function request()
    position = position + 1
    -- wrk asks for one before it begins, to look at it.
    if position == 2 then began = pace.now() end
    local line = lines and lines()
    if line then
        last = head .. #line .. "\r\n\r\n" .. line
        return last
    end
    lines = nil
    -- The thread ends, but wrk sleeps on for the rest of its time.
    seconds = seconds or (pace.now() - began) / 1e3
    wrk.thread:stop()
    return last
end

function done(summary, latency) pace.print(summary, latency, thread:get("seconds")) end
