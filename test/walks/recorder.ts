/** Runs the instrumented server in `WALKS_SERVER` and serves the entered files over a Unix socket. */
let entered: string[] = []

Object.assign(globalThis, {
  walk: (file: string) => {
    entered.push(file)
  },
})

Bun.serve({
  unix: process.env['WALKS_SOCKET'] ?? '',
  fetch: () => {
    const response = Response.json(entered)
    entered = []
    return response
  },
})

await import(`${process.env['WALKS_SERVER']}/src/main.ts`)

export {}
