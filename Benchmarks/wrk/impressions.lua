-- ADMIN_TOKEN=… wrk -t1 -s impressions.lua URL [-- RATE]
--
-- Has one impression signed by each request. With RATE, at so many requests a second. At the end one line of JSON, see
-- pace.lua.
local pace = dofile(debug.getinfo(1, "S").source:match("@(.*/)") .. "pace.lua")

local body = '{"ad-network-id":"example123.skadnetwork","source-identifier":5239,"itunes-item-id":525463029,'
    .. '"source-app-id":1234567891,"fidelity-type":1}'
local message

function init(arguments)
    message = "POST /v1/impressions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " .. os.getenv("ADMIN_TOKEN")
        .. "\r\nContent-Type: application/json\r\nContent-Length: " .. #body .. "\r\n\r\n" .. body
    math.randomseed(1)
    if arguments[1] then pace.at(tonumber(arguments[1])) end
end

function request() return message end

function done(summary, latency) pace.print(summary, latency) end
