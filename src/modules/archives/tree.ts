import { Refusal, refuseInvalid } from '../../platform/errors.ts'
import { MAX_KEY_BYTES, nameProblem } from '../../platform/names.ts'

/** Maximum files and folders of an archive, with the folders that only its paths name. */
const MAX_ENTRIES = 10_000
/** Maximum bytes of their keys together: until they are published, an intent in the catalog lists them. */
const MAX_KEYS_BYTES = 4 * 1024 ** 2

interface Folder {
  /** Names from the root. */
  segments: readonly string[]
  /** True when the archive has an entry for it. */
  isListed: boolean
}

/** File and the folder it goes to, by names from the root. */
export interface TreeFile {
  folder: readonly string[]
  name: string
  /** Path in the archive. */
  path: string
}

/** Tree that an archive adds to a folder: valid names, each once, each either a file or a folder. */
export class ArchiveTree {
  readonly #target: Folder
  /** Folders by path in the archive, parents first. */
  readonly #folders = new Map<string, Folder>()
  readonly #files = new Set<string>()
  #keysBytes = 0

  /** @param target Names from the root to the folder. */
  constructor(target: readonly string[]) {
    this.#target = { segments: target, isListed: false }
  }

  /** Returns the target and every folder below it, parents first. */
  get folders(): readonly (readonly string[])[] {
    return [this.#target, ...this.#folders.values()].map(({ segments }) => segments)
  }

  /** @throws {Refusal} `invalid`, `too-large`. */
  addFolder(path: string): void {
    const folder = this.#folderAt(segmentsOf(path.slice(0, -1)))
    if (folder.isListed) throw sentTwice(path)
    folder.isListed = true
  }

  /** @throws {Refusal} `invalid`, `too-large`. */
  addFile(path: string): TreeFile {
    const segments = segmentsOf(path)
    const name = segments.pop() ?? ''
    const { segments: folder } = this.#folderAt(segments)
    if (this.#files.has(path)) throw sentTwice(path)
    if (this.#folders.has(path)) throw isBoth(path)
    this.#count([...folder, name])
    this.#files.add(path)
    return { folder, name, path }
  }

  #folderAt(segments: readonly string[]): Folder {
    const name = segments.at(-1)
    if (name === undefined) return this.#target
    const path = segments.join('/')
    const known = this.#folders.get(path)
    if (known) return known
    if (this.#files.has(path)) throw isBoth(path)
    const parent = this.#folderAt(segments.slice(0, -1))
    const folder = { segments: [...parent.segments, name], isListed: false }
    this.#count(folder.segments)
    this.#folders.set(path, folder)
    return folder
  }

  #count(segments: readonly string[]): void {
    const keyBytes = Buffer.byteLength(segments.join('/'))
    if (keyBytes > MAX_KEY_BYTES) throw keyTooLong()
    this.#keysBytes += keyBytes
    if (this.#folders.size + this.#files.size >= MAX_ENTRIES)
      throw new Refusal('too-many', `An archive may have at most ${MAX_ENTRIES} files and folders`)
    if (this.#keysBytes > MAX_KEYS_BYTES)
      throw new Refusal(
        'too-large',
        `The keys of an archive may have at most ${MAX_KEYS_BYTES} bytes together`,
      )
  }
}

/** @throws {Refusal} when a segment is not a valid name, so that no path leads out of the folder. */
function segmentsOf(path: string): string[] {
  if (Buffer.byteLength(path) > MAX_KEY_BYTES) throw keyTooLong()
  const segments = path.split('/')
  for (const segment of segments) {
    const problem = nameProblem(segment)
    if (problem !== undefined)
      throw refuseInvalid(`Each name in the path ${shown(path)} of the archive ${problem}`)
  }
  return segments
}

const keyTooLong = () =>
  refuseInvalid(`A path in the archive is too long: its key would have more than ${MAX_KEY_BYTES} bytes`)
const sentTwice = (path: string) => refuseInvalid(`The archive has ${shown(path)} twice`)
const isBoth = (path: string) =>
  refuseInvalid(`The archive has ${shown(path)} both as a file and as a folder`)

const MAX_SHOWN_CHARACTERS = 100
const shown = (path: string) => JSON.stringify(path.slice(0, MAX_SHOWN_CHARACTERS))
