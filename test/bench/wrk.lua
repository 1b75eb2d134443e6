-- With an argument, asks evenly for that many files: the path's "0" becomes each number below it in turn.
init = function(args)
  local count = tonumber(args[1])
  if not count then return end
  local before, after = wrk.path:match("^(.*/)0(.*)$")
  local number = 0
  request = function()
    number = (number + 1) % count
    return wrk.format(nil, before .. number .. after)
  end
end

-- Prints the totals of a run as one line: wrk's own summary is rounded.
done = function(summary)
  local errors = summary.errors
  print(string.format("totals %d %d %d %d %d", summary.requests, summary.bytes, summary.duration, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout))
end
