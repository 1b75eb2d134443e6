import { existsSync, renameSync, statSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { HoldfastFile } from '../client/index.ts'
import { Failure } from './failure.ts'
import { find } from './find.ts'
import { showProgress } from './progress.ts'
import type { Remote } from './remote.ts'

/** What is fetched: the answer from a byte on, its whole length, and the name to keep it under. */
interface Fetched {
  name: string
  /** Where the bytes are kept until they are complete. Undefined when they cannot be gone on with. */
  part: string | undefined
  fetch: (from: number) => Promise<Response>
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
  if (existsSync(path) && !force) throw new Failure(`"${path}" exists already; --force replaces it`)
  await save(remote, path, fetched)
  remote.terminal.print(path)
  return 0
}

async function prepare(remote: Remote, key: string): Promise<Fetched> {
  const client = remote.client()
  const found = await find(client, key)
  if ('file' in found) {
    const { id, name }: HoldfastFile = found.file
    return { name, part: id, fetch: (from) => client.files.download(id, { from }) }
  }
  const { id, name } = found.folder
  return { name: `${name}.zip`, part: undefined, fetch: () => client.folders.archive({ id }) }
}

function placeOf(target: string | undefined, name: string): string {
  if (target === undefined) return name
  const isFolder = target.endsWith('/') || statSync(target, { throwIfNoEntry: false })?.isDirectory()
  return isFolder ? join(target, name) : target
}

async function printTo({ terminal }: Remote, { fetch }: Fetched): Promise<number> {
  const { body } = await fetch(0)
  for await (const chunk of body ?? [])
    if (!terminal.output.write(chunk)) await new Promise((resolve) => terminal.output.once('drain', resolve))
  return 0
}

/** Saves under another name first: whoever sees the file sees all of it. */
async function save({ terminal }: Remote, path: string, { name, part, fetch }: Fetched): Promise<void> {
  const partial = `${path}.${part ?? 'part'}`
  // A file's id means its bytes: what is there of it is a beginning of them.
  const from = part === undefined ? 0 : (statSync(partial, { throwIfNoEntry: false })?.size ?? 0)
  const response = await resume(fetch, from)
  const start = response.status === 206 ? from : 0
  const total = start + Number(response.headers.get('content-length') ?? 0)
  const bar = showProgress(terminal, name, total)
  const file = await open(partial, start === 0 ? 'w' : 'a')
  let loaded = start
  try {
    for await (const chunk of response.body ?? []) {
      await file.write(chunk)
      loaded += chunk.length
      bar.reach(loaded)
    }
  } finally {
    await file.close()
    bar.end()
    if (part === undefined && loaded < total) await rm(partial, { force: true })
  }
  if (loaded !== total) throw new Failure(`Only ${loaded} of ${total} bytes of "${name}" came; run it again`)
  renameSync(partial, path)
}

/** A beginning that is already all of it, or no beginning, is asked for anew. */
async function resume(fetch: Fetched['fetch'], from: number): Promise<Response> {
  if (from === 0) return fetch(0)
  try {
    return await fetch(from)
  } catch {
    return fetch(0)
  }
}
