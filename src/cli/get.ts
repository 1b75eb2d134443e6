import { createHash } from 'node:crypto'
import { constants, existsSync, lstatSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { HoldfastError } from '../client/index.ts'
import { connect } from './account.ts'
import { Failure } from './failure.ts'
import { asId, type Fetched } from './fetched.ts'
import { findFile, findFolder, isAboveGranted, nothingAt } from './find.ts'
import { showProgress } from './progress.ts'
import { nameOf, type Remote, tidy } from './remote.ts'
import { isShareLink, visit } from './visit.ts'

/**
 * Downloads a file, or a folder as a ZIP archive: `get <key> [target]`. Continues a file that was interrupted. Instead of a
 * key it takes the link of a share.
 */
export async function get(
  remote: Remote,
  key: string,
  target: string | undefined,
  { force }: { force: boolean },
): Promise<number> {
  const fetched = isShareLink(key) ? await visit(remote, key) : await prepare(remote, key)
  if (target === '-') return printTo(remote, fetched)
  const path = placeOf(target, fetched.name)
  const mayReplace = force && (!fetched.isForeign || path === target)
  const assertFree = () => {
    if (existsSync(path) && force && !mayReplace)
      throw new Failure(`"${path}" already exists: name the file to replace`)
    if (existsSync(path) && !mayReplace) throw new Failure(`"${path}" already exists; --force replaces it`)
  }
  assertFree()
  const partial = await save(remote, path, fetched)
  assertFree()
  renameSync(partial, path)
  await remote.terminal.print(path)
  return 0
}

async function prepare(remote: Remote, key: string): Promise<Fetched> {
  const client = connect(remote.environment)
  const place = tidy(key)
  const name = nameOf(place)
  const file = await findFile(client, key)
  if (file) {
    const id = asId(file.id)
    return { url: client.url, id, name, fetch: (beginning) => client.files.download(id, beginning) }
  }
  const folder = await findFolder(client, key)
  if (!folder && !(await isAboveGranted(client, place))) throw nothingAt(key)
  // One above the caller's folders has no id: its archive is that of those below.
  const id = folder ? asId(folder.id) : place
  const which = folder ? { id } : { key: place }
  return { url: client.url, id, name: `${name}.zip`, fetch: () => client.folders.archive(which) }
}

function placeOf(target: string | undefined, name: string): string {
  if (target === undefined) return name
  const isFolder = target.endsWith('/') || statSync(target, { throwIfNoEntry: false })?.isDirectory()
  return isFolder ? join(target, name) : target
}

async function printTo({ terminal }: Remote, { name, fetch }: Fetched): Promise<number> {
  await pipeline(Readable.from(bytesOf(await fetch(), name)), terminal.output, { end: false })
  return 0
}

/** Yields the bytes of a response. @throws {Failure} when the connection breaks. */
async function* bytesOf({ body }: Response, name: string): AsyncGenerator<Uint8Array> {
  try {
    yield* body ?? []
  } catch {
    throw new Failure(`The connection broke before all of "${name}" had arrived. Run the command again.`)
  }
}

/** Saves under another name first, so that readers see a whole file or none. @returns That name. */
async function save({ terminal, newId }: Remote, path: string, fetched: Fetched): Promise<string> {
  const { name } = fetched
  const partials = new Partials(path, fetched, newId())
  const { response, start } = await begin(fetched, partials)
  const etag = response.headers.get('etag')
  const partial = partials.of(etag)
  partials.removeOthers(start === 0 ? undefined : partial)
  const length = response.headers.get('content-length')
  const total = length === null ? undefined : start + Number(length)
  const bar = showProgress(terminal, name, total ?? 0)
  const file = await open(partial, start === 0 ? NEW : CONTINUED)
  let loaded = start
  try {
    for await (const chunk of bytesOf(response, name)) {
      for (let written = 0; written < chunk.length; ) {
        const left = chunk.length - written
        written += (await file.write(chunk, written, left, loaded + written)).bytesWritten
      }
      loaded += chunk.length
      bar.reach(loaded)
    }
  } catch (error) {
    if (etag === null) rmSync(partial)
    throw error
  } finally {
    await file.close()
    bar.end()
  }
  if (total !== undefined && loaded !== total)
    throw new Failure(`Only ${loaded} of ${total} bytes of "${name}" arrived. Run the command again.`)
  return partial
}

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
/** Flags that do not follow a link or write to an existing file. */
const NEW = O_WRONLY | O_CREAT | O_EXCL
const CONTINUED = O_WRONLY | O_NOFOLLOW

/**
 * Names of unfinished files beside the target. The server's values are hashed, so no server can choose the name of
 * another program's file.
 */
class Partials {
  readonly #folder: string
  readonly #prefix: string
  readonly #ownName: string

  /** @param ownName Name of this run's bytes if they have no ETag. */
  constructor(path: string, { id, url }: Fetched, ownName: string) {
    this.#ownName = ownName
    this.#folder = dirname(path)
    const name = [...basename(path)].slice(0, MAX_NAME_CHARACTERS).join('')
    this.#prefix = `.${name}.holdfast-${hashOf(url, id)}-`
  }

  /** Returns the name for bytes with this ETag. Bytes without one cannot be continued and get a name of their own. */
  of(etag: string | null): string {
    return join(this.#folder, `${this.#prefix}${hashOf(etag ?? this.#ownName)}.part`)
  }

  /** Removes what earlier runs left of another version of the file. */
  removeOthers(kept: string | undefined): void {
    for (const name of readdirSync(this.#folder)) {
      const place = join(this.#folder, name)
      if (name.startsWith(this.#prefix) && place !== kept) rmSync(place)
    }
  }
}

/** Maximum characters of a file's name in the name of its partial file, which could be too long otherwise. */
const MAX_NAME_CHARACTERS = 40

const hashOf = (...texts: string[]) =>
  createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 32)

/** Requests the file, or the rest of it if an earlier run stored the first bytes of the same version. */
async function begin({ fetch }: Fetched, partials: Partials): Promise<{ response: Response; start: number }> {
  const response = await fetch()
  const etag = response.headers.get('etag')
  const stat = etag === null ? undefined : lstatSync(partials.of(etag), { throwIfNoEntry: false })
  if (etag === null || !stat?.isFile() || stat.size === 0) return { response, start: 0 }
  await response.body?.cancel()
  const rest = await fetchRest(fetch, { from: stat.size, ifRange: etag })
  const isRest = rest.status === 206 && rest.headers.get('etag') === etag
  return { response: rest, start: isRest ? stat.size : 0 }
}

/** Requests the rest of a file. A partial file that is already complete is downloaded again. */
async function fetchRest(
  fetch: Fetched['fetch'],
  beginning: { from: number; ifRange: string },
): Promise<Response> {
  try {
    return await fetch(beginning)
  } catch (error) {
    if (error instanceof HoldfastError && error.status === 416) return fetch()
    throw error
  }
}
