-- Posts the file named in BENCH_BODY as JSON over keep-alive connections, and ends with one line for bench/load.ts.
local file = assert(io.open(os.getenv("BENCH_BODY"), "rb"))
wrk.method = "POST"
wrk.body = file:read("*a")
file:close()
wrk.headers["Content-Type"] = "application/json"

function done(summary, latency, _requests)
  local e = summary.errors
  io.write(string.format('\nRESULT {"requests":%d,"us":%d,"failed":%d,"p50":%d,"p99":%d}\n', summary.requests, summary.duration,
    e.connect + e.read + e.write + e.status + e.timeout, latency:percentile(50), latency:percentile(99)))
end
