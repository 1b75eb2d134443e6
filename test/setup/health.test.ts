import { describe, expect, test } from 'bun:test'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf, startInside } from '../support/holdfast.ts'

describe('health', () => {
  test('is good while the database answers and the volume is there', async () => {
    await using holdfast = await startInside()

    const response = await holdfast.fetch('/api/health')

    expect(await response.json()).toEqual({ data: { message: 'Holdfast is running' }, error: null })
  })

  test('is bad when the volume is gone, or is another one', async () => {
    await using holdfast = await startInside()
    const uploads = join(holdfast.dataPath, 'uploads')

    renameSync(uploads, `${uploads}-away`)
    const gone = await holdfast.fetch('/api/health')
    renameSync(`${uploads}-away`, uploads)
    writeFileSync(join(uploads, '.holdfast-volume'), 'another\n')
    const other = await holdfast.fetch('/api/health')

    for (const response of [gone, other]) {
      expect(response.status).toBe(503)
      expect(await messageOf(response)).toBe(
        'The folder of stored files is not there: is its volume mounted?',
      )
    }
  })

  test('is bad when the database belongs to another volume, and good again afterwards', async () => {
    await using holdfast = await startInside()
    const { store } = holdfast.server.deps
    await store.transact(() => store.instance.set('volumeId', 'away'))

    expect((await holdfast.fetch('/api/health')).status).toBe(503)

    const { volumeId } = holdfast.server.deps.store
    await store.transact(() => store.instance.set('volumeId', volumeId() ?? ''))
    expect((await holdfast.fetch('/api/health')).status).toBe(200)
  })
})
