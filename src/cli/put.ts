import { statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import {
  type Content,
  type HoldfastClient,
  HoldfastError,
  type HoldfastFile,
  type Progress,
  RESUMABLE_BYTES,
  type TransferOptions,
  type Visibility,
} from '../client/index.ts'
import { isAmbiguous, NOT_UTF8, problemOf } from '../platform/listing.ts'
import { connect } from './account.ts'
import { Failure, messageOf, UsageFailure } from './failure.ts'
import { defaultFolder, findFile } from './find.ts'
import { createMemory } from './memory.ts'
import { showProgress } from './progress.ts'
import { type Remote, tidy } from './remote.ts'
import { LeftOut } from './tree.ts'

export interface PutOptions {
  folder?: string
  /** File name for standard input. */
  name?: string
  private?: boolean
  public?: boolean
  /** True to replace files of the same name. */
  replace?: boolean
}

interface Sent {
  name: string
  size: number
  content: Content
  /** Path and modification time, which identify the content. Standard input has none. */
  fingerprint?: string
}

/**
 * Uploads each file on its own and prints its address: `put <files...>`. Resumes a large upload that was
 * interrupted.
 */
export async function put(remote: Remote, paths: readonly string[], options: PutOptions): Promise<number> {
  // All paths are checked first, so that a typo sends nothing.
  const left = new LeftOut(remote.terminal)
  const files = paths.flatMap((path) => open(remote, path, { ...options, left }))
  const client = connect(remote.environment)
  const folder = options.folder ?? (options.replace ? await defaultFolder(client) : '')
  let failed = left.refused
  for (const file of files) {
    const address = await send(remote, client, file, { ...options, folder }).catch(async (error: unknown) => {
      failed += 1
      remote.terminal.warn(`holdfast: ${file.name}: ${messageOf(await reasonOf(client, error, folder))}`)
    })
    if (address !== undefined) await remote.terminal.print(address)
  }
  return failed === 0 ? 0 : 1
}

/** Returns why an upload failed. Where the server asks for the name of a folder, the reason lists those that can be named. */
async function reasonOf(client: HoldfastClient, error: unknown, folder: string): Promise<unknown> {
  const isUnplaced = folder === '' && error instanceof HoldfastError && error.code === 'right-missing'
  return isUnplaced
    ? defaultFolder(client).then(
        () => error,
        (reason: unknown) => reason,
      )
    : error
}

/** Returns what to send; nothing for a name that no server accepts. */
function open({ terminal }: Remote, path: string, { name, left }: PutOptions & { left: LeftOut }): Sent[] {
  if (path === '-') {
    if (!name) throw new UsageFailure('Standard input needs a name: --name <name>')
    return [{ name, size: 0, content: terminal.input() }]
  }
  const problem = isAmbiguous(path) ? NOT_UTF8 : problemOf(basename(path))
  const stat = statSync(path, { throwIfNoEntry: false })
  if (problem === NOT_UTF8 || (stat?.isFile() && problem !== undefined)) {
    left.refuse(path, problem)
    return []
  }
  if (!stat) throw new Failure(`There is no file "${path}"`)
  if (!stat.isFile()) throw new Failure(`"${path}" is not a file; "sync" and "deploy" take folders`)
  const fingerprint = `${resolve(path)} ${stat.mtimeMs}`
  return [{ name: basename(path), size: stat.size, content: Bun.file(path), fingerprint }]
}

async function send(
  remote: Remote,
  client: HoldfastClient,
  sent: Sent,
  { folder, ...options }: PutOptions & { folder: string },
): Promise<string> {
  const key = [tidy(folder), sent.name].filter(Boolean).join('/')
  const present = options.replace ? await findFile(client, key) : undefined
  const bar = showProgress(remote.terminal, sent.name, sent.size)
  const onProgress = ({ loaded }: Progress) => bar.reach(loaded)
  try {
    const file = await store(remote, client, sent, {
      ...(folder !== '' && { folder }),
      ...visibilityOf(options),
      ...(present && { replaces: present.id }),
      onProgress,
    })
    return file ? client.urlOf(file) : client.url
  } finally {
    bar.end()
  }
}

async function store(
  { environment }: Remote,
  client: HoldfastClient,
  { name, size, content, fingerprint }: Sent,
  { replaces, ...options }: { folder?: string; visibility?: Visibility; replaces?: string } & TransferOptions,
): Promise<HoldfastFile | undefined> {
  if (size > RESUMABLE_BYTES && content instanceof Blob && fingerprint !== undefined) {
    const memory = createMemory(environment)
    const resumed = { ...options, ...(replaces !== undefined && { replaces }), memory, fingerprint }
    return client.files.uploadResumable({ name, content }, resumed)
  }
  if (replaces !== undefined) return client.files.replace(replaces, content, options)
  const [file] = await client.files.upload([{ name, content }], options)
  return file
}

/** Returns the visibility of the options; none leaves the choice to the instance. */
export function visibilityOf(options: { private?: boolean; public?: boolean }): { visibility?: Visibility } {
  if (options.private) return { visibility: 'private' }
  return options.public ? { visibility: 'public' } : {}
}
