import { describe, expect, test } from 'bun:test'
import { startInside } from '../support/holdfast.ts'

describe('health', () => {
  test('is good while the database answers and the volume is there', async () => {
    await using holdfast = await startInside()

    const response = await holdfast.fetch('/api/health')

    expect(await response.json()).toEqual({ data: { message: 'Holdfast is running' }, error: null })
  })

  test('is bad when the database belongs to another volume, and good again afterwards', async () => {
    await using holdfast = await startInside()
    const { store } = holdfast.server.deps
    await store.transact(() => store.instance.set('volumeId', 'away'))

    const { status, headers } = await holdfast.fetch('/api/health')
    expect([status, headers.get('Retry-After')]).toEqual([503, '1'])

    const { volumeId } = holdfast.server.deps.store
    await store.transact(() => store.instance.set('volumeId', volumeId() ?? ''))
    expect((await holdfast.fetch('/api/health')).status).toBe(200)
  })
})
