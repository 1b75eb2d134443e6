import { HoldfastError } from '../../client/index.ts'
import { waitOf } from '../api/client.ts'
import { keysBelow, namesIn } from '../api/files.ts'
import { sleep } from '../bulk/sleep.ts'
import { joinKey } from '../lib/keys.ts'
import type { Collected } from './collect.ts'

type Collection = Collected['files']

/**
 * Finds the object keys that uploads would occupy twice. One list of the folder, and one of each of its folders
 * that is uploaded again, suffice for any number of files.
 */
export async function findTaken({ files }: Collected, target: string): Promise<ReadonlySet<string>> {
  const isDirect = files.some(({ folder }) => folder === '')
  const tops = new Set(files.map(({ folder }) => folder.split('/')[0] ?? '').filter((top) => top !== ''))
  const present = await asked(() => namesIn(target))
  if (!present) return new Set()
  const taken = new Set(isDirect ? present.files.map((name) => joinKey(target, name)) : [])
  for (const top of present.folders.filter((name) => tops.has(name))) {
    for (const key of (await asked(() => keysBelow(joinKey(target, top)))) ?? []) taken.add(key)
  }
  return taken
}

/** Repeats a request after a 429. Other errors return undefined: the server never replaces a file anyway. */
async function asked<Told>(ask: () => Promise<Told>): Promise<Told | undefined> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof HoldfastError)) throw error
      const wait = waitOf(error)
      if (wait === 0) return undefined
      await sleep(wait * 1000)
    }
  }
}

export const keyOf = ({ file, folder }: Collection[number], target: string): string =>
  joinKey(target, folder, file.name)

/** Renames the files whose object keys are taken, such as `photo (1).jpg`. */
export function withFreeNames(files: Collection, target: string, taken: ReadonlySet<string>): Collection {
  const used = new Set([...taken, ...files.map((one) => keyOf(one, target))])
  return files.map((one) => {
    if (!taken.has(keyOf(one, target))) return one
    const { file, folder } = one
    let name = file.name
    for (let count = 1; used.has(joinKey(target, folder, name)); count += 1) name = numbered(file.name, count)
    used.add(joinKey(target, folder, name))
    return { folder, file: new File([file], name, { type: file.type, lastModified: file.lastModified }) }
  })
}

/** Returns a name with a number before its extension. */
function numbered(name: string, count: number): string {
  const dot = name.lastIndexOf('.')
  const end = dot > 0 ? dot : name.length
  return `${name.slice(0, end)} (${count})${name.slice(end)}`
}
