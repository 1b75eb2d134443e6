import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Environment } from '../src/config.ts'

const README = readFileSync(join(import.meta.dir, '../README.md'), 'utf8')

describe('the README', () => {
  test('lists every variable, in the order and with the words of the configuration', () => {
    const rows = [...README.matchAll(/^\| `([A-Z_]+)` \| [^|]* \| ([^|]*) \|$/gm)]
    const takesOf = new Map(
      Object.entries(Environment.properties).map(([name, schema]) => [
        name,
        Reflect.get(schema, 'description'),
      ]),
    )

    expect(rows.map(([, name]) => name)).toEqual([...takesOf.keys()])
    for (const [, name = '', takes = ''] of rows) {
      expect(takes.replaceAll('`', '')).toStartWith(takesOf.get(name))
    }
  })

  test('lists every script that it tells to run', () => {
    const { scripts } = JSON.parse(readFileSync(join(import.meta.dir, '../package.json'), 'utf8')) as {
      scripts: object
    }
    const told = [...README.matchAll(/bun run ([\w:]*\w)/g)].map(([, name]) => name)

    expect(Object.keys(scripts)).toEqual(expect.arrayContaining([...new Set(told)]))
  })
})
