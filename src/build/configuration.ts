import { join } from 'node:path'
import { Environment } from '../platform/environment.ts'

/** Path of the page, which is checked in and compared with the schema by a test. */
export const CONFIGURATION_PAGE = join(import.meta.dir, '../../docs/configuration.md')

const INTRODUCTION = `# Configuration

Every variable has a default. Set variables in the environment, or in a file \`.env\` in the folder where you start the
server. Only these variables are read from it, and \`$\` is not expanded; \`serve\` reports others. Client commands never read it.

A *starting value* is read on the first start only. After that, change it under Settings in the dashboard, or with
\`PUT /api/settings\`.
`

/** Returns the page about configuration, generated from the schema that reads it. */
export function configurationPage(): string {
  const rows = Object.entries(Environment.properties).map(
    ([name, schema]) =>
      `| \`${name}\` | ${purposeOf(schema)} | ${defaultOf(name, schema)} | ${annotation(schema, 'description')} |`,
  )
  return [INTRODUCTION, '| variable | purpose | default | accepts |', '|---|---|---|---|', ...rows, ''].join(
    '\n',
  )
}

const purposeOf = (schema: object) => annotation(schema, 'title')

function defaultOf(name: string, schema: object): string {
  const unset = annotation(schema, 'unset')
  if (unset !== '') return unset
  return SIZES[name] ?? annotation(schema, 'default')
}

/** Defaults as they are written, in place of their number of bytes. */
const SIZES: Record<string, string> = { MAX_UPLOAD_SIZE: '5GiB', CACHE_SIZE: '10GiB' }

const annotation = (schema: object, name: string) => String(Reflect.get(schema, name) ?? '')

if (import.meta.main) await Bun.write(CONFIGURATION_PAGE, configurationPage())
