import { expect, test } from 'bun:test'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { refusalOf, startInside } from '../support/holdfast.ts'

test('health is bad when the volume is gone, or is another one', async () => {
  await using holdfast = await startInside()
  const uploads = join(holdfast.dataPath, 'uploads')

  renameSync(uploads, `${uploads}-away`)
  const gone = await holdfast.fetch('/api/health')
  renameSync(`${uploads}-away`, uploads)
  writeFileSync(join(uploads, '.holdfast-volume'), 'another\n')
  const other = await holdfast.fetch('/api/health')

  for (const response of [gone, other]) {
    const refused = await refusalOf(response)
    expect(refused).toEqual([503, 'The folder of stored files is not there: is its volume mounted?'])
  }
})
