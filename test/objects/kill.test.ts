import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { BASE_URL, register, sendUpload } from '../support/holdfast.ts'
import { spawnHoldfast } from '../support/process.ts'
import { type Fault, S3Store } from '../support/s3-store.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { variablesOf } from './store.ts'

const PREFIX = 'blobs/'
/** Two parts of an upload. */
const LARGE = 'x'.repeat(17 * 1024 ** 2)

/** Moments at which the server is killed: before a request is carried out, before its response, after that. */
const MOMENTS: [string, Fault | undefined][] = [
  ['before', 'hang up'],
  ['during', 'lose the response'],
  ['after', undefined],
]

function rowsOf(dataPath: string) {
  using database = new Database(join(dataPath, 'db', 'holdfast.sqlite'), { readonly: true })
  const ids = (query: string) =>
    database
      .query<{ id: string }, []>(`${query} ORDER BY id`)
      .all()
      .map(({ id }) => id)
  return {
    kept: ids("SELECT id FROM blobs WHERE state = 'kept'"),
    doomed: ids("SELECT id FROM blobs WHERE state = 'doomed'"),
    arriving: ids("SELECT id FROM blobs WHERE state = 'arriving'"),
    files: ids('SELECT blob_id AS id FROM files'),
  }
}

/** Expects that a row leads to every object and every part, and that every file has its object. */
function expectNoOrphan(dataPath: string, store: S3Store): void {
  const { kept, doomed, arriving, files } = rowsOf(dataPath)
  const idsIn = (keys: Iterable<string>) =>
    [...keys].flatMap((key) => (key.startsWith(PREFIX) ? [key.slice(PREFIX.length)] : []))
  const objects = idsIn(store.objects.keys())
  expect(arriving).toEqual([])
  expect(files).toEqual(kept)
  expect(kept.filter((id) => !objects.includes(id))).toEqual([])
  expect(objects.filter((id) => !kept.includes(id) && !doomed.includes(id))).toEqual([])
  // An upload whose id was lost has no parts, and the comparison of each day aborts it.
  const begun = [...store.uploads.values()].filter(({ parts }) => parts.size > 0).map(({ key }) => key)
  expect(idsIn(begun).filter((id) => !doomed.includes(id))).toEqual([])
}

test.each(MOMENTS)('a kill %s each request to the object store leaves no orphan', async (_, fault) => {
  using folder = temporaryFolder()
  const dataPath = folder.path
  const store = await S3Store.start()
  const environment = { ...variablesOf(store), BASE_URL }
  const start = () => spawnHoldfast({ dataPath, environment })
  let holdfast = await start()
  const { withKey } = await register(holdfast)
  let isKilled = true
  for (let step = 1; isKilled; step++) {
    const { child } = holdfast
    let count = 0
    isKilled = false
    store.fault = ({ key, method }) => {
      if (!key.startsWith(PREFIX) || method === 'GET' || ++count !== step) return undefined
      isKilled = true
      if (fault === undefined) setImmediate(() => child.kill('SIGKILL'))
      else child.kill('SIGKILL')
      return fault
    }
    const files = { [`small ${step}`]: 'small', [`large ${step}`]: LARGE }
    const response = await sendUpload(holdfast, withKey, { files }).catch(() => undefined)
    store.fault = () => undefined
    if (!isKilled) expect(response?.status).toBe(200)
    child.kill('SIGKILL')
    await child.exited

    holdfast = await start()

    expectNoOrphan(dataPath, store)
  }
  holdfast.child.kill('SIGKILL')
  await holdfast.child.exited
  await store.stop()
})
