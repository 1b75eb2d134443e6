-- Prints the totals of a run as one line: wrk's own summary is rounded.
done = function(summary)
  local errors = summary.errors
  print(string.format("totals %d %d %d %d %d", summary.requests, summary.bytes, summary.duration, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout))
end
