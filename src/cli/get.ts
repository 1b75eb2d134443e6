import { createHash } from 'node:crypto'
import { constants, existsSync, lstatSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { HoldfastError } from '../client/index.ts'
import { Failure } from './failure.ts'
import { find } from './find.ts'
import { showProgress } from './progress.ts'
import { nameOf, type Remote, tidy } from './remote.ts'

/** What is fetched. */
interface Fetched {
  /** The server's address. */
  url: string
  id: string
  /** What it is kept as: of what the caller asked for, so that no server names a local file. */
  name: string
  /** All of it, or what is behind a beginning that an earlier run has. */
  fetch: (beginning?: { from: number; ifRange: string }) => Promise<Response>
}

/**
 * `get <key> [target]`: fetches a file, or a folder as a ZIP archive. A file that was cut short is gone on with.
 */
export async function get(
  remote: Remote,
  key: string,
  target: string | undefined,
  { force }: { force: boolean },
): Promise<number> {
  const fetched = await prepare(remote, key)
  if (target === '-') return printTo(remote, fetched)
  const path = placeOf(target, fetched.name)
  const assertFree = () => {
    if (existsSync(path) && !force) throw new Failure(`"${path}" exists already; --force replaces it`)
  }
  assertFree()
  const partial = await save(remote, path, fetched)
  assertFree()
  renameSync(partial, path)
  await remote.terminal.print(path)
  return 0
}

async function prepare(remote: Remote, key: string): Promise<Fetched> {
  const client = remote.client()
  const found = await find(client, key)
  const name = nameOf(tidy(key))
  if ('file' in found) {
    const id = asId(found.file.id)
    return { url: client.url, id, name, fetch: (beginning) => client.files.download(id, beginning) }
  }
  const id = asId(found.folder.id)
  return { url: client.url, id, name: `${name}.zip`, fetch: () => client.folders.archive({ id }) }
}

/** @throws {Failure} when what the server says is no id. */
function asId(id: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) return id
  throw new Failure('The server does not answer as Holdfast does: an id is no UUID')
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

/** @throws {Failure} when it breaks off. */
async function* bytesOf({ body }: Response, name: string): AsyncGenerator<Uint8Array> {
  try {
    yield* body ?? []
  } catch {
    throw new Failure(`The connection broke before all of "${name}" had come; run it again`)
  }
}

/** Saves under another name first: whoever sees the file sees all of it. @returns That name. */
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
    throw new Failure(`Only ${loaded} of ${total} bytes of "${name}" came; run it again`)
  return partial
}

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
/** Flags that neither follow a link nor write into a file that is there. */
const NEW = O_WRONLY | O_CREAT | O_EXCL
const CONTINUED = O_WRONLY | O_NOFOLLOW

/**
 * Names of unfinished files, beside the place of the whole one. Nothing in them is chosen by the server: what it says
 * is hashed, so that no file of another program has such a name.
 */
class Partials {
  readonly #folder: string
  readonly #prefix: string
  readonly #ownName: string

  /** @param ownName Tells bytes without an ETag from those of every other run. */
  constructor(path: string, { id, url }: Fetched, ownName: string) {
    this.#ownName = ownName
    this.#folder = dirname(path)
    const name = [...basename(path)].slice(0, MAX_NAME_CHARACTERS).join('')
    this.#prefix = `.${name}.holdfast-${hashOf(url, id)}-`
  }

  /** The name for bytes with this ETag. Without one they cannot be continued, and have a name of their own. */
  of(etag: string | null): string {
    return join(this.#folder, `${this.#prefix}${hashOf(etag ?? this.#ownName)}.part`)
  }

  /** Removes what earlier runs left of the same file, when it was another. */
  removeOthers(kept: string | undefined): void {
    for (const name of readdirSync(this.#folder)) {
      const place = join(this.#folder, name)
      if (name.startsWith(this.#prefix) && place !== kept) rmSync(place)
    }
  }
}

/** Characters of a file's name in those of its partial ones: with all of them a name could be too long. */
const MAX_NAME_CHARACTERS = 40

const hashOf = (...texts: string[]) =>
  createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 32)

/** Asks for the file, or for the rest of it when an earlier run left the first bytes of what the server has now. */
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

/** A beginning that is already all of the file is fetched once more. */
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
