import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { failInside, runInside } from './support/command.ts'
import { startInside } from './support/holdfast.ts'

const OBJECT_STORE = {
  S3_ENDPOINT: 'http://127.0.0.1:1',
  S3_BUCKET: 'files',
  S3_ACCESS_KEY_ID: 'key',
  S3_SECRET_ACCESS_KEY: 'secret',
}
const AUTH_SECRET = 'one secret of all servers'
const DATABASE_URL = 'postgres://holdfast:hunter22@127.0.0.1:1/holdfast'

describe('the configuration of a shared database', () => {
  test.each([
    ['S3_ENDPOINT is missing', { DATABASE_URL, AUTH_SECRET }],
    ['AUTH_SECRET is missing', { DATABASE_URL, ...OBJECT_STORE }],
    ['DATABASE_URL must be', { DATABASE_URL: 'mysql://:hunter22@db', AUTH_SECRET, ...OBJECT_STORE }],
    ['DATABASE_POOL must be', { DATABASE_URL, DATABASE_POOL: '1', AUTH_SECRET, ...OBJECT_STORE }],
  ])('is refused: %s', async (message, environment) => {
    const { exitCode, output } = await failInside({ environment })
    expect(exitCode).toBe(1)
    expect(output).toStartWith(message)
    expect(output).not.toContain('hunter22')
  })

  test('does not hide the database of a data folder', async () => {
    await using holdfast = await startInside()
    await holdfast.stop()
    const environment = { DATABASE_URL, AUTH_SECRET, ...OBJECT_STORE }
    const { output } = await failInside({ dataPath: holdfast.dataPath, environment })
    expect(output).toContain('has a database of its own: unset DATABASE_URL')
  })

  test('lets no repair work on the data folder', async () => {
    const dataPath = join(tmpdir(), 'holdfast-that-does-not-exist')
    const environment = { DATA_PATH: dataPath, DATABASE_URL, AUTH_SECRET, ...OBJECT_STORE }
    const { exitCode, output } = await runInside(['repair', '--adopt'], environment)
    expect(exitCode).toBe(1)
    expect(output).toStartWith('Cannot use the database "127.0.0.1:1/holdfast": it cannot be reached (')
    expect(output).not.toContain('hunter22')
    expect(existsSync(dataPath)).toBe(false)
  })
})
