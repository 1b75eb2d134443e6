import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startInsideWithAccount } from '../support/fixture.ts'
import { filesUnder, startInside } from '../support/holdfast.ts'

describe('a start', () => {
  test('removes bytes of versions that nothing knows, and keeps the others', async () => {
    await using stopped = await startInsideWithAccount()
    const { id } = await stopped.api.upload('a.txt', 'one')
    await stopped.api.replace(id, 'two')
    const [known = ''] = filesUnder(stopped, 'versions')
    for (const name of ['stray', 'stray.new']) writeFileSync(join(stopped.dataPath, 'versions', name), 'x')
    await stopped.stop()
    await using again = await startInside({ dataPath: stopped.dataPath })
    expect(filesUnder(again, 'versions')).toEqual([known])
  })
})
