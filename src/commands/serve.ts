import type { Terminal } from '../cli/terminal.ts'
import { type Config, readConfig } from '../platform/config.ts'
import type { Services } from '../platform/platform.ts'
import type { Temporary } from './demo/demo.ts'
import { unknownNames, withEnvFile } from './variables.ts'

/** Services of the process: time, randomness, messages, and the way to serve. */
export interface Given extends Services {
  environment: Record<string, string | undefined>
  terminal: Terminal
  serve: (config: Config, temporary?: Temporary) => Promise<void>
}

/** True for the words of `holdfast serve`, and for none. */
export const isServe = (words: readonly string[]): boolean =>
  words.length === 0 || words.join(' ') === 'serve'

/** Reads the configuration when a command needs it, because client commands have none. */
export const configOf = ({ environment }: Given): Config => readConfig(withEnvFile(environment))

/** Starts the server: `serve`. Returns the exit code. */
export async function runServe(given: Given): Promise<number> {
  const unknown = unknownNames()
  if (unknown.length > 0)
    given.terminal.warn(`The file .env has names that Holdfast does not read: ${unknown.join(', ')}`)
  await given.serve(configOf(given))
  return 0
}
