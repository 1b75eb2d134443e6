/** Runs the instrumented server in `WALKS_SERVER` and serves the entered functions over a Unix socket. */
let entered: [file: string, line: string][] = []

Object.assign(globalThis, {
  walk: (file: string, line: string) => {
    entered.push([file, line])
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
