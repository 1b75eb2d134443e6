import type { FileView } from '../support/holdfast.ts'

type Visibility = FileView['visibility']

/** Operation of a client on a tree. It selects files and folders by number, independent of their count. */
export type Operation =
  | { kind: 'upload'; folder: string; name: string; content: string; visibility: Visibility }
  | { kind: 'change file'; file: number; name?: string | undefined; visibility?: Visibility | undefined }
  | { kind: 'move file'; file: number; folder: string }
  | { kind: 'delete file'; file: number }
  | { kind: 'create folder'; folder: string }
  | { kind: 'change folder'; at: number; name?: string | undefined; visibility?: Visibility | undefined }
  | { kind: 'move folder'; at: number; folder: string }
  | { kind: 'delete folder'; at: number }

/** Operation with its subject and its expected outcome. */
export interface Step {
  operation: Operation
  /** Key of the chosen file or folder; empty for operations that create one. */
  key: string
  status: number
  next: TreeModel
}

interface ModelFile {
  content: string
  visibility: Visibility
}

const parentOf = (key: string) => key.slice(0, Math.max(0, key.lastIndexOf('/')))
const nameOf = (key: string) => key.slice(key.lastIndexOf('/') + 1)
const join = (folder: string, name: string) => (folder === '' ? name : `${folder}/${name}`)
const isWithin = (key: string, folder: string) => key === folder || key.startsWith(`${folder}/`)

/** Returns a key and those of all folders above it, outermost first. */
const pathTo = (key: string) =>
  key === '' ? [] : key.split('/').map((_, depth, names) => names.slice(0, depth + 1).join('/'))

/** Immutable model of a tree of files after each operation, as specified. */
export class TreeModel {
  readonly folders: ReadonlySet<string>
  readonly files: ReadonlyMap<string, ModelFile>

  constructor(folders: Iterable<string> = [], files: Iterable<[string, ModelFile]> = []) {
    this.folders = new Set(folders)
    this.files = new Map(files)
  }

  /** Returns the step of an operation; `undefined` when the tree has nothing to apply it to. */
  plan(operation: Operation): Step | undefined {
    const key = this.#chosen(operation)
    if (key === undefined) return undefined
    const outcome = this.#outcome(operation, key)
    const isDone = outcome instanceof TreeModel
    return { operation, key, status: isDone ? 200 : outcome, next: isDone ? outcome : this }
  }

  #chosen(operation: Operation): string | undefined {
    const pick = (keys: Iterable<string>, index: number) => {
      const sorted = [...keys].sort()
      return sorted[index % sorted.length]
    }
    if ('file' in operation) return pick(this.files.keys(), operation.file)
    if ('at' in operation) return pick(this.folders, operation.at)
    return ''
  }

  #outcome(operation: Operation, key: string): TreeModel | number {
    switch (operation.kind) {
      case 'upload':
        return this.#upload(operation)
      case 'create folder':
        return this.#isTaken(operation.folder) ? 409 : this.#withFolder(operation.folder)
      case 'move file':
      case 'move folder':
        return this.#move(key, operation.folder)
      case 'delete file':
      case 'delete folder':
        return this.#without(key)
      default:
        return this.#change(operation, key)
    }
  }

  #isTaken = (key: string) => this.folders.has(key) || this.files.has(key)

  #withFolder(folder: string): TreeModel | number {
    const path = pathTo(folder)
    return path.some((key) => this.files.has(key))
      ? 409
      : new TreeModel([...this.folders, ...path], this.files)
  }

  #upload({ folder, name, content, visibility }: Extract<Operation, { kind: 'upload' }>) {
    const made = this.#withFolder(folder)
    const key = join(folder, name)
    if (typeof made === 'number' || this.#isTaken(key)) return 409
    return new TreeModel(made.folders, [...this.files, [key, { content, visibility }]])
  }

  #change(
    { name, visibility }: { name?: string | undefined; visibility?: Visibility | undefined },
    key: string,
  ) {
    if (name === undefined && visibility === undefined) return 400
    const to = join(parentOf(key), name ?? nameOf(key))
    if (to !== key && this.#isTaken(to)) return 409
    const files = [...this.files].map(([at, file]): [string, ModelFile] => [
      at,
      isWithin(at, key) ? { ...file, visibility: visibility ?? file.visibility } : file,
    ])
    return new TreeModel(this.folders, files).#renamed(key, to)
  }

  #move(key: string, folder: string) {
    const made = this.#withFolder(folder)
    if (typeof made !== 'number' && this.folders.has(key) && isWithin(folder, key)) return 400
    const to = join(folder, nameOf(key))
    if (to === key) return this
    if (typeof made === 'number' || this.#isTaken(to)) return 409
    return made.#renamed(key, to)
  }

  #without = (key: string) =>
    new TreeModel(
      [...this.folders].filter((at) => !isWithin(at, key)),
      [...this.files].filter(([at]) => !isWithin(at, key)),
    )

  #renamed(from: string, to: string): TreeModel {
    const renamed = (key: string) => (isWithin(key, from) ? `${to}${key.slice(from.length)}` : key)
    return new TreeModel(
      [...this.folders].map(renamed),
      [...this.files].map(([key, file]): [string, ModelFile] => [renamed(key), file]),
    )
  }
}
