import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Terminal } from '../../cli/terminal.ts'
import { createClient } from '../../client/index.ts'
import { type Config, readConfig } from '../../platform/config.ts'
import type { Random } from '../../platform/random.ts'
import type { Server } from '../../server.ts'
import { uploadSamples } from './samples.ts'
import { addTraffic } from './traffic.ts'

/** Parts of an instance that ends with its process. */
export interface Temporary {
  /** Fills the instance once it listens. */
  fill: (server: Server) => Promise<void>
  /** Removes its data folder; called when the process ends. */
  remove: () => void
}

interface DemoCommand {
  terminal: Terminal
  random: Random
  serve: (config: Config, temporary: Temporary) => Promise<void>
  /** Port to listen on; 0 for any free one. */
  port: number
}

const EMAIL = 'demo@example.com'
const PASSWORD_BYTES = 9

/**
 * Runs `demo`: serves a new instance with sample files on loopback. Its data folder is removed when the
 * process ends. The environment has no effect, so that the demo cannot touch another instance.
 *
 * @returns The exit code, 0.
 * @throws {StartError} when the port is not available.
 */
export async function runDemo({ serve, terminal, random, port }: DemoCommand): Promise<number> {
  const dataPath = mkdtempSync(join(tmpdir(), 'holdfast-demo-'))
  const config = readConfig({
    HOST: '127.0.0.1',
    PORT: String(port),
    DATA_PATH: dataPath,
    LOG_LEVEL: 'error',
  })
  await serve(config, {
    fill: (server) => fill(server, { terminal, random, dataPath }),
    remove: () => rmSync(dataPath, { recursive: true, force: true }),
  })
  return 0
}

/** Adds the account and everything that the demo shows, and prints the way in. */
async function fill(
  server: Server,
  { terminal, random, dataPath }: { terminal: Terminal; random: Random; dataPath: string },
): Promise<void> {
  const url = `http://localhost:${server.port}`
  const password = Buffer.from(random.bytes(PASSWORD_BYTES)).toString('base64url')
  const client = createClient({ url: `http://127.0.0.1:${server.port}` })
  await client.auth.signUp({ name: 'Demo', email: EMAIL, password })
  await client.keys.create({ name: 'website', scopes: ['files:read'] })
  await addTraffic(server, await uploadSamples(client))
  const { url: link } = await client.files.sign({ key: 'private/plans.txt' })
  for (const line of [
    `The demo runs at ${url}`,
    `  E-mail:        ${EMAIL}`,
    `  Password:      ${password}`,
    `  A website:     ${url}/api/hosting/site/index.html`,
    `  A private file by a signed link:`,
    `    ${new URL(link, url)}`,
    `Its files are in ${dataPath} and are removed when you press Ctrl+C.`,
  ])
    await terminal.print(line)
}
