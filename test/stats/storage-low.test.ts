import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Stats } from '../../src/modules/stats/model.ts'
import { isOutOfSpace } from '../../src/platform/errors.ts'
import { eventually } from '../support/eventually.ts'
import { createKey } from '../support/holdfast.ts'
import { type HoldfastProcess, registerWith, spawnHoldfast } from '../support/process.ts'
import { type Credential, given } from './stats.ts'

const CAPACITY = 40 * 1024 ** 2
const PAGE = 4096

/** Mount point with a mount only in the server's own namespace. */
const mountPoint = mkdtempSync(join(tmpdir(), 'holdfast-disk-'))
const SMALL_DISK = `mount -t tmpfs -o size=${CAPACITY} tmpfs "${mountPoint}" && exec "$@"`
const namespace = process.getuid?.() === 0 ? ['unshare', '-m'] : ['unshare', '-Urm']

let holdfast: HoldfastProcess
let withSession: Credential
let withKey: Credential
beforeAll(async () => {
  const wrap = [...namespace, 'sh', '-c', SMALL_DISK, 'sh']
  holdfast = await spawnHoldfast({ dataPath: mountPoint, wrap })
  const account = await registerWith(holdfast)
  withSession = { Cookie: account.cookie }
  withKey = account.withKey
})
afterAll(async () => {
  await holdfast[Symbol.asyncDispose]()
  rmSync(mountPoint, { recursive: true, force: true })
})

async function readStats(headers = withSession): Promise<Stats> {
  const response = await holdfast.fetch('/api/stats', { headers })
  expect(response.status).toBe(200)
  return ((await response.json()) as { data: Stats }).data
}
const lowOf = ({ alerts }: Stats) => alerts.filter(({ type }) => type === 'storage-low')

/** Returns the path of another file on the server's disk, reached through the server's mount namespace. */
const filler = () => `/proc/${holdfast.child.pid}/root${mountPoint}/filler`

/** Fills the disk by `bytes`, or by what the server has left of them since they were counted. */
function fillBy(bytes: number): void {
  try {
    appendFileSync(filler(), new Uint8Array(bytes))
  } catch (error) {
    if (!isOutOfSpace(error)) throw error
  }
}

/**
 * Fills the disk up to `bytes` free, again after each save of the server, and returns the statistics of that moment.
 */
async function statsWith(bytes: number): Promise<Stats> {
  if (!existsSync(filler())) writeFileSync(filler(), '')
  let stats = await readStats()
  await eventually(async () => {
    const { available } = given(stats.files).storage
    if (available === bytes) return true
    if (available > bytes) fillBy(available - bytes)
    else truncateSync(filler(), statSync(filler()).size + available - bytes)
    stats = await readStats()
    return false
  })
  return stats
}

describe('storage-low', () => {
  test('is absent with exactly a tenth of the volume free, and present below that', async () => {
    expect(lowOf(await readStats())).toEqual([])

    const atTenth = await statsWith(CAPACITY / 10)
    const below = await statsWith(CAPACITY / 10 - PAGE)

    expect(atTenth.files?.storage).toMatchObject({ available: CAPACITY / 10, capacity: CAPACITY })
    expect(lowOf(atTenth)).toEqual([])
    expect(below.alerts[0]).toEqual({
      type: 'storage-low',
      available: CAPACITY / 10 - PAGE,
      capacity: CAPACITY,
    })
  })

  test('is shown to callers with files:read, API keys included', async () => {
    const body = { name: 'writing', scopes: ['files:write'] }
    const writing = { 'API-Key': await createKey(holdfast, withSession['Cookie'] ?? '', body) }

    expect(lowOf(await readStats(withKey))).toHaveLength(1)
    expect(lowOf(await readStats(writing))).toEqual([])
  })

  test('is shown on a disk that is full to the last byte, with counts that cannot be saved', async () => {
    rmSync(filler())
    await statsWith(0)
    await holdfast.fetch('/api/hosting/none')

    const stats = await readStats()

    expect(lowOf(stats)).toEqual([{ type: 'storage-low', available: 0, capacity: CAPACITY }])
    expect(stats.files?.total).toBe(0)
  })
})
