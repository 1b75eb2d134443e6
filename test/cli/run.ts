import { afterAll } from 'bun:test'
import { join } from 'node:path'
import { type Ended, runAlike } from '../support/command.ts'
import { temporaryFolder } from '../support/temporary.ts'

/** User of the command line, with their own folder. */
export interface Person extends Disposable {
  folder: string
  environment: Record<string, string>
  run: (...words: string[]) => Promise<Ended>
  /** Like `run`, with standard input. */
  pipe: (input: string, ...words: string[]) => Promise<Ended>
  /** Returns the output of a command that must succeed, in lines. */
  lines: (...words: string[]) => Promise<string[]>
}

type Environment = Record<string, string>

/** Creates a user with these variables, which are read at each command if they are a function. */
export function createPerson(variables: Environment | (() => Environment) = {}): Person {
  const { path: folder, ...temporary } = temporaryFolder()
  const own = { PATH: process.env['PATH'] ?? '', XDG_CONFIG_HOME: join(folder, 'config') }
  const environment = () => ({ ...own, ...(typeof variables === 'function' ? variables() : variables) })
  const pipe = (input: string, ...words: string[]) =>
    runAlike(words, { environment: environment(), input, cwd: folder })
  const run = (...words: string[]) => pipe('', ...words)
  return {
    folder,
    get environment() {
      return environment()
    },
    run,
    pipe,
    lines: async (...words) => {
      const { exitCode, stdout, stderr } = await run(...words)
      if (exitCode !== 0) throw new Error(`${words.join(' ')} ended with ${exitCode}: ${stderr}`)
      return stdout.split('\n').filter(Boolean)
    },
    ...temporary,
  }
}

/** Creates a user whose environment has the URL and API key of a server. */
export const createPersonAt = (server: { url: string | URL }, account: { key: string }): Person =>
  createPerson(() => ({ HOLDFAST_URL: String(server.url), HOLDFAST_KEY: account.key }))

/** Creates such a user for all tests of a file. */
export function withPerson(holdfast: { url: string; key: string }): Person {
  const person = createPersonAt(holdfast, holdfast)
  afterAll(() => person[Symbol.dispose]())
  return person
}
