// Requests a URL every few milliseconds until its input ends, and prints the time of each response. A separate process,
// so that the load on the test's process does not count as the server's latency.

async function waitOnce(url: string): Promise<number> {
  const began = performance.now()
  await (await fetch(url)).arrayBuffer()
  return performance.now() - began
}

async function main(url: string): Promise<void> {
  // Warm-up, because the first requests of a client are slow.
  for (let n = 0; n < 50; n += 1) await waitOnce(url)
  console.log('ready')
  let isDone = false
  const ended = Bun.stdin.text().then(() => {
    isDone = true
  })
  const waited: number[] = []
  while (!isDone) {
    waited.push(await waitOnce(url))
    await Bun.sleep(5)
  }
  await ended
  console.log(JSON.stringify(waited))
}

await main(process.argv[2] ?? '')

export {}
