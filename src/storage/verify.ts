import type { FileRow } from '../catalog/files.ts'
import type { ReadableCatalog } from '../catalog/open.ts'
import { isTooLong, joinKey } from '../volume/names.ts'
import type { Volume } from '../volume/open.ts'

/** One way in which the volume and the catalog disagree. */
export interface Difference {
  key: string
  problem:
    | 'key is too long'
    | 'bytes are missing'
    | 'size differs'
    | 'content differs'
    | 'folder is missing'
    | 'not in the catalog'
}

export interface VerifyOptions {
  catalog: ReadableCatalog
  volume: Volume
  /** Whether to read every file and compare its SHA-256; else only sizes are compared. */
  deep: boolean
}

/**
 * Compares the volume with the catalog, folder by folder. Changes nothing, and may run beside a server:
 * what is being uploaded or deleted meanwhile can show up as a difference.
 */
export async function* verify(options: VerifyOptions): AsyncGenerator<Difference> {
  yield* verifyFolder(options, { id: options.catalog.folders.root(), key: '' })
}

async function* verifyFolder(
  options: VerifyOptions,
  folder: { id: string; key: string },
): AsyncGenerator<Difference> {
  const { catalog, volume } = options
  const entries = await volume.list(folder.key)
  if (isTooLong(folder.key)) yield { key: folder.key, problem: 'key is too long' }
  else if (entries === undefined) yield { key: folder.key, problem: 'folder is missing' }
  const unknown = new Map((entries ?? []).map(({ name, kind }) => [name, kind]))

  for (const file of catalog.files.inFolder(folder.id)) {
    unknown.delete(file.name)
    const key = joinKey(folder.key, file.name)
    const problem = await fileProblem(options, file, key)
    if (problem) yield { key, problem }
  }
  for (const { id, name } of catalog.folders.inFolder(folder.id)) {
    unknown.delete(name)
    yield* verifyFolder(options, { id, key: joinKey(folder.key, name) })
  }
  for (const name of unknown.keys()) yield { key: joinKey(folder.key, name), problem: 'not in the catalog' }
}

async function fileProblem(
  { volume, deep }: VerifyOptions,
  file: FileRow,
  key: string,
): Promise<Difference['problem'] | undefined> {
  if (isTooLong(key)) return 'key is too long'
  const opened = volume.openFile(key)
  if (!opened) return 'bytes are missing'
  if (opened.size !== file.size || !deep) {
    opened.close()
    return opened.size === file.size ? undefined : 'size differs'
  }
  return (await opened.sha256()) === file.sha256 ? undefined : 'content differs'
}
