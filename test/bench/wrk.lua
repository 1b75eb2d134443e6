local requests = {}

-- Asks evenly for that many files: the path's "0" becomes each number below it in turn.
function requests.files(count)
  local before, after = wrk.path:match("^(.*/)0(.*)$")
  local number = 0
  return function()
    number = (number + 1) % count
    return wrk.format(nil, before .. number .. after)
  end
end

-- Uploads that many bytes each time, under names that begin with the prefix.
function requests.uploads(size, prefix)
  local boundary = "holdfast-bench"
  wrk.headers["Content-Type"] = "multipart/form-data; boundary=" .. boundary
  local before = "--" .. boundary .. '\r\nContent-Disposition: form-data; name="files"; filename="' .. prefix
  local after = '"\r\n\r\n' .. string.rep("x", size) .. "\r\n--" .. boundary .. "--\r\n"
  local number = 0
  return function()
    number = number + 1
    return wrk.format("POST", nil, nil, before .. number .. after)
  end
end

init = function(args)
  local make = requests[args[1]]
  if make then request = make(tonumber(args[2]), args[3]) end
end

-- Prints the totals of a run as one line: wrk's own summary is rounded.
done = function(summary)
  local errors = summary.errors
  print(string.format("totals %d %d %d %d %d", summary.requests, summary.bytes, summary.duration, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout))
end
