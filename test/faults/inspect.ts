import { Database } from 'bun:sqlite'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { becomes } from '../support/eventually.ts'
import { STATE_QUERIES, type StateRows, stateOfRows } from './rows.ts'
import type { State } from './state.ts'
import { type Account, STRAY, type Target } from './world.ts'

/** State of a server, and its violations of the invariants in the README. */
export interface Inspection {
  state: State
  violations: string[]
}

/** Reads the catalog's state through a second connection. */
export function readState({ dataPath }: Pick<Target, 'dataPath'>): State {
  using database = openCatalog(dataPath)
  return stateOf(database)
}

/** Checks everything that must hold after a start: catalog, volume and API, alone and together. */
export async function inspect(target: Target, account: Account | undefined): Promise<Inspection> {
  await intentsRemoved(target.dataPath)
  const { state, violations } = inspectData(target.dataPath)
  const served = account ? await apiProblems(target, account, state) : []
  return { state, violations: [...violations, ...(await healthProblems(target)), ...served] }
}

/** Checks catalog and volume, alone and together. */
export function inspectData(dataPath: string): Inspection {
  const { state, problems, unfinished } = inspectCatalog(dataPath)
  const violations = [
    ...problems,
    ...volumeProblems(dataPath, state),
    ...stagingProblems(dataPath, unfinished),
    ...versionProblems(dataPath),
    ...trashProblems(dataPath),
  ]
  return { state, violations }
}

export const openCatalog = (dataPath: string) =>
  new Database(join(dataPath, 'db', 'holdfast.sqlite'), { readonly: true, strict: true })

/** Waits for deletes that a start resumes in the background, and for the removal of intents of finished operations. */
async function intentsRemoved(dataPath: string): Promise<void> {
  using database = openCatalog(dataPath)
  const left = database.query(`SELECT id FROM intents UNION ALL SELECT id FROM folders WHERE parent_id = id
    UNION ALL SELECT id FROM trash WHERE purging`)
  await becomes(() => !left.get(), 20)
}

function inspectCatalog(dataPath: string): { state: State; problems: string[]; unfinished: string[] } {
  using database = openCatalog(dataPath)
  const count = (sql: string) => database.query<{ count: number }, []>(sql).get()?.count ?? -1
  const integrity = database.query<{ integrity_check: string }, []>('PRAGMA integrity_check').get()
  const zeros = {
    'foreign keys are broken': 'SELECT count(*) AS count FROM pragma_foreign_key_check',
    'intents are left': 'SELECT count(*) AS count FROM intents',
    'detached folders are left': 'SELECT count(*) AS count FROM folders WHERE parent_id = id',
    'totals differ from the files': `SELECT abs((SELECT ifnull(sum(size), 0) FROM files) -
      (SELECT ifnull(sum(size), 0) FROM file_totals)) AS count`,
  }
  const broken = Object.entries(zeros).filter(([, sql]) => count(sql) !== 0)
  const unfinished = database
    .query<{ id: string }, []>('SELECT id FROM resumables WHERE file_id IS NULL')
    .all()
  return {
    state: stateOf(database),
    unfinished: unfinished.map(({ id }) => id),
    problems: [
      ...(integrity?.integrity_check === 'ok' ? [] : ['I6 the database is damaged']),
      ...broken.map(([problem, sql]) => `I6 ${count(sql)} ${problem}`),
    ],
  }
}

function stateOf(database: Database): State {
  const rows = <Name extends keyof StateRows>(name: Name) =>
    database.query<StateRows[Name][number], []>(STATE_QUERIES[name]).all()
  return stateOfRows({
    folders: rows('folders'),
    files: rows('files'),
    facts: rows('facts'),
    versions: rows('versions'),
    trash: rows('trash'),
    trashedFolders: rows('trashedFolders'),
    trashedFiles: rows('trashedFiles'),
  })
}

/** Paths of the items of the trash below `trash/`, by id. */
const heldPaths = (database: Database): Map<string, string> =>
  new Map(
    database
      .query<{ id: string; held: string }, []>(
        "SELECT id, entry || '/' || name AS held FROM trash WHERE NOT purging",
      )
      .all()
      .map(({ id, held }) => [id, held]),
  )

/** Checks I3 and I5: the volume has exactly the catalog's files and folders, plus strays and their folders. */
function volumeProblems(dataPath: string, { files, folders }: State): string[] {
  const uploads = join(dataPath, 'uploads')
  const problems: string[] = []
  const found = new Set<string>()
  const entries = readdirSync(uploads, { recursive: true, withFileTypes: true })
  const strays = entries.filter(({ name }) => name === STRAY.name).map(({ parentPath }) => `${parentPath}/`)
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name)
    const key = relative(uploads, path)
    if (key === '.holdfast-volume' || entry.name === STRAY.name) continue
    found.add(key)
    const holdsStray = () => strays.some((parent) => parent.startsWith(`${path}/`))
    const isExpected = entry.isDirectory()
      ? folders.has(key) || holdsStray()
      : entry.isFile() && files.has(key)
    if (!isExpected) problems.push(`I3 ${key} is on the volume, not in the catalog`)
    else if (entry.isFile() && hashOf(path) !== files.get(key)?.sha256)
      problems.push(`I3 ${key} has other bytes than its row says`)
  }
  for (const key of [...files.keys(), ...folders.keys()]) {
    if (!found.has(key)) problems.push(`I3 ${key} is in the catalog, not on the volume`)
  }
  if (readText(join(uploads, STRAY.name)) !== STRAY.content)
    problems.push('I5 a file that was put there by hand is gone')
  return problems
}

/** Checks I4: staging has exactly the received bytes of unfinished resumable uploads. */
function stagingProblems(dataPath: string, unfinished: readonly string[]): string[] {
  const staged = readdirSync(join(dataPath, 'tmp'))
  const strays = staged.filter((name) => !unfinished.includes(name))
  const lost = unfinished.filter((id) => !staged.includes(id))
  return [
    ...strays.map((name) => `I4 staging holds ${name}`),
    ...lost.map((id) => `I4 staging has nothing of the upload ${id}`),
  ]
}

/** Checks I3: `versions/` has exactly the catalog's versions. */
function versionProblems(dataPath: string): string[] {
  using database = openCatalog(dataPath)
  const rows = database.query<{ id: string; sha256: string }, []>('SELECT id, sha256 FROM versions').all()
  const known = new Map(rows.map(({ id, sha256 }) => [id, sha256]))
  const names = readdirSync(join(dataPath, 'versions'))
  return [
    ...names.filter((name) => !known.has(name)).map((name) => `I3 versions/${name} is not in the catalog`),
    ...rows.filter(({ id }) => !names.includes(id)).map(({ id }) => `I3 the version ${id} has no bytes`),
    ...names
      .filter((name) => known.has(name) && hashOf(join(dataPath, 'versions', name)) !== known.get(name))
      .map((name) => `I3 the version ${name} has other bytes than its row says`),
  ]
}

/** Checks I3: `trash/` has exactly the items of the trash. */
function trashProblems(dataPath: string): string[] {
  using database = openCatalog(dataPath)
  const paths = heldPaths(database)
  const expected = new Map<string, string | undefined>()
  for (const [id, { key, files, folders }] of stateOf(database).trash) {
    const held = paths.get(id) ?? ''
    expected.set(held.slice(0, held.indexOf('/')), undefined)
    for (const folder of folders.keys()) expected.set(`${held}${folder.slice(key.length)}`, undefined)
    for (const [file, { sha256 }] of files) expected.set(`${held}${file.slice(key.length)}`, sha256)
  }
  const root = join(dataPath, 'trash')
  const found = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter(({ name }) => name !== STRAY.name)
    .map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }))
  const names = new Set(found.map(({ path }) => relative(root, path)))
  return [
    ...[...names]
      .filter((name) => !expected.has(name))
      .map((name) => `I3 trash/${name} is not in the catalog`),
    ...[...expected.keys()].filter((name) => !names.has(name)).map((name) => `I3 trash/${name} is missing`),
    ...found
      .filter(({ entry, path }) => entry.isFile() && hashOf(path) !== expected.get(relative(root, path)))
      .map(({ path }) => `I3 ${path} has other bytes than its row says`),
  ]
}

/** Returns a file's text; `undefined` when it cannot be read. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

const hashOf = (path: string) => new Bun.CryptoHasher('sha256').update(readFileSync(path)).digest('hex')

async function healthProblems({ fetch }: Target): Promise<string[]> {
  const { status } = await fetch('/api/health')
  return status === 200 ? [] : [`I8 health answers ${status}`]
}

/** Checks I1 and I9: the API serves the catalog's files, and private ones only with credentials. */
export async function apiProblems({ fetch }: Target, account: Account, { files }: State): Promise<string[]> {
  const problems: string[] = []
  const session = await fetch('/api/me', { headers: { Cookie: account.cookie } })
  if (session.status !== 200) problems.push(`I1 the session gets ${session.status}`)
  const list = await fetch('/api/files', { headers: account.withKey })
  if (list.status !== 200) return [...problems, `I1 the list of files answers ${list.status}`]
  const { data } = (await list.json()) as { data: { files: { key: string; id: string }[] } }
  const listed = new Map(data.files.map(({ key, id }) => [key, id]))
  if (listed.size !== files.size) problems.push(`I1 ${listed.size} files are listed, not ${files.size}`)
  for (const [key, { id, sha256, visibility }] of files) {
    if (listed.get(key) !== id) problems.push(`I1 ${key} is not listed under its id`)
    const url = `/api/hosting/${key.split('/').map(encodeURIComponent).join('/')}`
    if (visibility === 'private') {
      const refused = await fetch(url)
      if (refused.status !== 404) problems.push(`I9 ${key} is private and answers ${refused.status}`)
    }
    const served = await fetch(url, visibility === 'private' ? { headers: account.withKey } : {})
    const hash = new Bun.CryptoHasher('sha256').update(await served.arrayBuffer()).digest('hex')
    if (served.status !== 200 || hash !== sha256) problems.push(`I1 ${key} is served with other bytes`)
  }
  return problems
}
