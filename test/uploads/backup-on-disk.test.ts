import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../support/accounts.ts'
import { apiOf } from '../support/api.ts'
import { runInside } from '../support/command.ts'
import { startInsideWithAccount } from '../support/fixture.ts'
import { startInside } from '../support/holdfast.ts'
import { begin, sendPiece } from './tus.ts'

describe('an upload that is not finished', () => {
  test('is not in a backup, no difference to verify, and nothing to repair', async () => {
    const store = mkdtempSync(join(tmpdir(), 'holdfast-store-'))
    const restored = mkdtempSync(join(tmpdir(), 'holdfast-restored-'))
    try {
      await using holdfast = await startInsideWithAccount()
      const { dataPath } = holdfast
      const path = await begin(holdfast, holdfast.withKey, { length: 6, fields: { name: 'half' } })
      await sendPiece(holdfast, holdfast.withKey, { path, offset: 0, body: 'abc' })

      expect(await runInside(['verify', '--deep'], { DATA_PATH: dataPath })).toMatchObject({ exitCode: 0 })
      expect(await runInside(['backup', store], { DATA_PATH: dataPath })).toMatchObject({ exitCode: 0 })
      await holdfast.stop()
      expect(await runInside(['repair', '--adopt', '--yes'], { DATA_PATH: dataPath })).toMatchObject({
        exitCode: 0,
        output: 'Volume and catalog agree\n',
      })
      expect(await runInside(['restore', store], { DATA_PATH: restored })).toMatchObject({ exitCode: 0 })

      using database = openDatabase({ dataPath: restored })
      expect(database.query('SELECT id FROM resumables').all()).toEqual([])
      await using again = await startInside({ dataPath })
      expect((await sendPiece(again, holdfast.withKey, { path, offset: 3, body: 'def' })).status).toBe(204)
      expect(await apiOf(again, holdfast).hosted('half')).toBe('abcdef')
    } finally {
      for (const folder of [store, restored]) rmSync(folder, { recursive: true, force: true })
    }
  })
})
