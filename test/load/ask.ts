// Asks a URL every few milliseconds until its input ends, and prints how long each answer took. A process of
// its own, so that what the load costs its own process is not taken for the server's waits.

async function waitOnce(url: string): Promise<number> {
  const began = performance.now()
  await (await fetch(url)).arrayBuffer()
  return performance.now() - began
}

async function main(url: string): Promise<void> {
  // A client that warms up is slow by itself.
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
