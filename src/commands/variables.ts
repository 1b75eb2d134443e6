import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { Environment } from '../platform/environment.ts'
import { errorCode, StartError } from '../platform/errors.ts'

type Variables = Record<string, string | undefined>

/** Names of variables that the command line and `compose.yaml` read from elsewhere. */
const ELSEWHERE = /^HOLDFAST_/

/** Returns the names in the file `.env` that are no variables of ours: a typo among them would have no effect. */
export const unknownNames = (folder = '.'): string[] =>
  Object.keys(readEnvFile(join(folder, '.env'))).filter(
    (name) => !(name in Environment.properties) && !ELSEWHERE.test(name),
  )

/**
 * Returns the variables for commands that serve or work on the data folder: those of the environment, else of
 * the file `.env` in the working folder. Only our own variables are read from the file, because others (such
 * as `HTTPS_PROXY`) would change the runtime's behaviour. Client commands never read it: it may come from a
 * stranger's repository.
 *
 * @throws {StartError} when there is such a file and it cannot be read.
 */
export function withEnvFile(environment: Variables, folder = '.'): Variables {
  const own = Object.entries(readEnvFile(join(folder, '.env'))).filter(
    ([name]) => name in Environment.properties,
  )
  return { ...Object.fromEntries(own), ...environment }
}

/** Error codes for a missing file; a folder of this name is common, too. */
const NO_FILE = new Set(['ENOENT', 'EISDIR'])

function readEnvFile(path: string): Variables {
  try {
    return parseEnv(readFileSync(path, 'utf8'))
  } catch (error) {
    const code = errorCode(error) ?? 'unknown error'
    if (NO_FILE.has(code)) return {}
    throw new StartError(`Cannot read the file "${path}": ${code}`, { cause: error })
  }
}
