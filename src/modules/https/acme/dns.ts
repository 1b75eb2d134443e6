import { createHash } from 'node:crypto'
import type { Proof } from './client.ts'

/** Maximum time of one call of the program, in milliseconds. */
const HOOK_MS = 300_000

/**
 * Proves a name by a record in DNS (RFC 8555 §8.4), which a program sets: `<program> present|cleanup <name> <value>`. It
 * exits when the record can be read everywhere.
 *
 * @throws {Error} with its last line of output when the program fails.
 */
export async function proveByDns(
  program: string,
  { name, authorization }: Proof,
): Promise<() => Promise<void>> {
  const record = `_acme-challenge.${name.replace(/^\*\./, '')}`
  const value = createHash('sha256').update(authorization).digest('base64url')
  await run(program, ['present', record, value])
  return () => run(program, ['cleanup', record, value])
}

async function run(program: string, words: readonly string[]): Promise<void> {
  const child = Bun.spawn([program, ...words], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    timeout: HOOK_MS,
  })
  const [exitCode, errors] = await Promise.all([child.exited, new Response(child.stderr).text()])
  const reason = errors.trim().split('\n').at(-1) || `it ended with ${exitCode}`
  if (exitCode !== 0) throw new Error(`"${program} ${words.join(' ')}" failed: ${reason}`)
}
