import { checkQueries } from '../../../src/catalog/postgres/check.ts'
import { Pool } from '../../../src/catalog/postgres/pool.ts'
import { type Actor, checkAll } from '../../faults/actor.ts'
import { apiProblems } from '../../faults/inspect.ts'
import { becomes } from '../../support/eventually.ts'
import type { Cluster } from './cluster.ts'

/** Ids of the blobs that rows refer to. */
const REFERRED = `SELECT blob_id FROM files UNION SELECT blob_id FROM versions UNION
  SELECT blob_id FROM trashed_files UNION SELECT blob_id FROM pieces`

/** Checks that every server has everything that was acknowledged, byte for byte. No request may be under way. */
export async function inspect(cluster: Cluster, actors: readonly Actor[]): Promise<string[]> {
  const { database, nodes, account } = cluster
  await cluster.drained()
  const state = await database.readState()
  const problems = checkAll(actors, state)
  for (const node of nodes) {
    const target = { fetch: node.fetch, dataPath: '' }
    for (const problem of await apiProblems(target, account, state)) problems.push(`${node.name}: ${problem}`)
  }
  return [...problems, ...(await rowProblems(cluster))]
}

async function rowProblems({ database }: Cluster): Promise<string[]> {
  await database.query('SELECT fold_totals()')
  const pool = new Pool({ url: database.urlAt(database.port), size: 1 })
  const wrong = await checkQueries(pool).wrongTotals()
  pool.close()
  const zeros = {
    'detached folders are left': 'SELECT count(*) FROM folders WHERE parent_id = id',
    'items of the trash are half removed': 'SELECT count(*) FROM trash WHERE purging <> 0',
    'rows refer to blobs that are not kept': `SELECT count(*) FROM (${REFERRED}) AS referred
      WHERE blob_id NOT IN (SELECT id FROM blobs WHERE state = 'kept')`,
    'kept blobs have no row': `SELECT count(*) FROM blobs
      WHERE state = 'kept' AND id NOT IN (${REFERRED})`,
  }
  const found = wrong.map((name) => `${name} differs from a recount`)
  for (const [problem, text] of Object.entries(zeros)) {
    // A sweep resumes deletes of folders that a dead server had begun.
    const isGone = async () => Number((await database.query(text))[0]?.['count']) === 0
    if (!(await becomes(isGone, 200))) found.push(problem)
  }
  return found
}

/** Sweeps at once what would stay for an hour, and checks that nothing without a row is left in the store. */
export async function inspectLeftovers({
  database,
  store,
}: Cluster): Promise<{ problems: string[]; ms: number }> {
  const began = performance.now()
  let left: Record<string, unknown>[] = []
  const isFinished = async () => {
    await database.query("UPDATE blobs SET not_before = 0 WHERE state = 'doomed'")
    left = await database.query("SELECT * FROM blobs WHERE state <> 'kept'")
    return left.length === 0
  }
  const problems: string[] = []
  if (!(await becomes(isFinished, 200)))
    problems.push(`blobs are neither kept nor removed: ${JSON.stringify(left)}`)
  const ms = performance.now() - began
  const rows = await database.query('SELECT id FROM blobs')
  const known = new Set(rows.map(({ id }) => String(id)))
  const stored = await store.blobIds()
  for (const id of stored.difference(known)) problems.push(`the object ${id} has no row`)
  for (const id of known.difference(stored)) problems.push(`the blob ${id} has no object`)
  const uploads = await store.countUploads()
  if (uploads > 0) problems.push(`${uploads} uploads in parts are left`)
  return { problems, ms }
}
