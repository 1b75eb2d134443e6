import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
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
    const { id } = found.file
    return { id, name, fetch: (beginning) => client.files.download(id, beginning) }
  }
  const { id } = found.folder
  return { id, name: `${name}.zip`, fetch: () => client.folders.archive({ id }) }
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
async function save({ terminal }: Remote, path: string, fetched: Fetched): Promise<string> {
  const { id, name } = fetched
  const beginning = findBeginning(path, id)
  const response = await resume(fetched, beginning)
  const start = response.status === 206 && beginning ? beginning.from : 0
  if (beginning && start === 0) rmSync(beginning.place)
  const etag = response.headers.get('etag')
  const partial = `${partialPrefix(path, id)}${etag === null ? '' : `.${encodeURIComponent(etag)}`}`
  const length = response.headers.get('content-length')
  const total = length === null ? undefined : start + Number(length)
  const bar = showProgress(terminal, name, total ?? 0)
  const file = await open(partial, start === 0 ? 'w' : 'r+')
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

/** The start of an unfinished file's name; what the ETag says of its bytes follows. */
const partialPrefix = (path: string, id: string) =>
  join(dirname(path), `${[...basename(path)].slice(0, 40).join('')}.${encodeURIComponent(id)}`)

/** The first bytes of a file that an earlier run left, and the ETag that they came with. */
function findBeginning(path: string, id: string) {
  const prefix = `${basename(partialPrefix(path, id))}.`
  const name = readdirSync(dirname(path)).find((entry) => entry.startsWith(prefix))
  if (name === undefined) return undefined
  const place = join(dirname(path), name)
  return { place, from: statSync(place).size, ifRange: decodeURIComponent(name.slice(prefix.length)) }
}

/** A beginning that is already all of it, or no beginning, is asked for anew. */
async function resume(
  { fetch }: Fetched,
  beginning: { from: number; ifRange: string } | undefined,
): Promise<Response> {
  if (!beginning) return fetch()
  try {
    return await fetch(beginning)
  } catch (error) {
    if (error instanceof HoldfastError && error.status === 416) return fetch()
    throw error
  }
}
