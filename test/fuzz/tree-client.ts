import fc from 'fast-check'
import { apiOf, type FolderView } from '../support/api.ts'
import { type FileView, type Holdfast, sendUpload } from '../support/holdfast.ts'
import { storedIn } from '../support/stored.ts'
import type { Operation, Step, TreeModel } from './tree-model.ts'

// Few names and little depth, so that operations meet each other.
const name = fc.constantFrom('a', 'b', 'c')
const folder = fc.array(name, { maxLength: 3 }).map((names) => names.join('/'))
const someFolder = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'))
const visibility = fc.constantFrom('public' as const, 'private' as const)
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })
const changed = { name: maybe(name), visibility: maybe(visibility) }
const chosen = fc.nat({ max: 99 })
const content = fc.string({ maxLength: 12 })

/** Any operation. Those that create files are more frequent, so that the others have files to work on. */
export const anyOperation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('upload'), folder, name, content, visibility }) },
  fc.record({ kind: fc.constant('change file'), file: chosen, ...changed }),
  fc.record({ kind: fc.constant('move file'), file: chosen, folder }),
  fc.record({ kind: fc.constant('delete file'), file: chosen }),
  fc.record({ kind: fc.constant('create folder'), folder: someFolder }),
  fc.record({ kind: fc.constant('change folder'), at: chosen, ...changed }),
  fc.record({ kind: fc.constant('move folder'), at: chosen, folder }),
  fc.record({ kind: fc.constant('delete folder'), at: chosen }),
)

export interface TreeClient extends Pick<Holdfast, 'fetch' | 'dataPath'> {
  withKey: Record<string, string>
}

/** Tree below a folder as the client, the store and visitors see it. */
export interface SeenTree {
  folders: string[]
  files: { key: string; content: string; visibility: string }[]
}

/** Response to visitors for a private file. */
const NOT_FOUND = '{"data":null,"error":{"message":"File not found"}}'

/** Folder in the root, with operations and views of its content through the API. */
export class Subtree {
  readonly root: string
  readonly #client: TreeClient

  constructor(client: TreeClient, root: string) {
    this.#client = client
    this.root = root
  }

  #full = (key: string) => (key === '' ? this.root : `${this.root}/${key}`)

  #send = (method: string, path: string, body?: unknown) =>
    apiOf(this.#client, this.#client).send(method, path, body)

  async #data<Data>(path: string): Promise<Data | undefined> {
    const response = await this.#send('GET', path)
    const { data } = (await response.json()) as { data: Data | null }
    return data ?? undefined
  }

  #browse = (key: string) =>
    this.#data<{ files: FileView[]; folders: FolderView[] }>(
      `/folders?key=${encodeURIComponent(this.#full(key))}`,
    )

  async create(): Promise<void> {
    const { status } = await this.#send('POST', '/folders', { folder: this.root })
    if (status !== 200) throw new Error(`Cannot make the folder "${this.root}": ${status}`)
  }

  /** Returns the id of a key, or an unused id if the key is gone. */
  async #idOf(step: Step): Promise<string> {
    const { key } = step
    const parent = await this.#browse(key.slice(0, Math.max(0, key.lastIndexOf('/'))))
    const among = 'file' in step.operation ? parent?.files : parent?.folders
    return among?.find((entry) => entry.key === this.#full(key))?.id ?? 'gone'
  }

  /** Sends a request, reads its response to the end and returns the status. */
  async perform(step: Step): Promise<number> {
    const response = await this.#request(step)
    await response.arrayBuffer()
    return response.status
  }

  async #request(step: Step): Promise<Response> {
    const { operation } = step
    if (operation.kind === 'upload') return this.#upload(operation)
    if (operation.kind === 'create folder') {
      return this.#send('POST', '/folders', { folder: this.#full(operation.folder) })
    }
    const path = 'file' in operation ? '/files' : '/folders'
    const id = await this.#idOf(step)
    if (operation.kind === 'delete file' || operation.kind === 'delete folder') {
      return this.#send('DELETE', path, { id })
    }
    if (operation.kind === 'move file' || operation.kind === 'move folder') {
      return this.#send('POST', `${path}/move`, { id, folder: this.#full(operation.folder) })
    }
    const { name, visibility } = operation
    return this.#send('PUT', path, { id, name, visibility })
  }

  #upload({ folder, name, content, visibility }: Extract<Operation, { kind: 'upload' }>): Promise<Response> {
    const placement = { folder: this.#full(folder), visibility }
    return sendUpload(this.#client, this.#client.withKey, { files: { [name]: content }, ...placement })
  }

  /**
   * Returns the tree of the API with the bytes of hosting: public files as a visitor, private ones with the API key.
   */
  async seenByClients(at = ''): Promise<SeenTree> {
    const listed = await this.#browse(at)
    const relative = (key: string) => key.slice(this.root.length + 1)
    const seen: SeenTree = { folders: [], files: [] }
    for (const file of listed?.files ?? []) seen.files.push(await this.#served(file, relative(file.key)))
    for (const { key } of listed?.folders ?? []) {
      const below = await this.seenByClients(relative(key))
      seen.folders.push(relative(key), ...below.folders)
      seen.files.push(...below.files)
    }
    return sorted(seen)
  }

  async #served({ url, visibility }: FileView, key: string): Promise<SeenTree['files'][number]> {
    const [anyones, ours] = await Promise.all([
      this.#client.fetch(`/${url}`),
      this.#client.fetch(`/${url}`, { headers: this.#client.withKey }),
    ])
    const content = await ours.text()
    const isHidden = anyones.status === 404 && (await anyones.text()) === NOT_FOUND
    if (isHidden !== (visibility === 'private'))
      throw new Error(`"${key}" is ${visibility}, but ${anyones.status}`)
    return { key, content: ours.status === 200 ? content : `status ${ours.status}`, visibility }
  }

  /** Names and bytes as they are stored. Only the catalog knows their visibility. */
  async seenStored(): Promise<Omit<SeenTree, 'files'> & { files: [string, string][] }> {
    const stored = storedIn(this.#client)
    const seen: Awaited<ReturnType<typeof this.seenStored>> = { folders: [], files: [] }
    for (const path of await stored.keys()) {
      if (!path.startsWith(`${this.root}/`)) continue
      const key = path.slice(this.root.length + 1)
      // Only a file has bytes.
      const bytes = await stored.read({ key: path }).catch(() => undefined)
      if (bytes) seen.files.push([key, bytes.toString()])
      else seen.folders.push(key)
    }
    return seen
  }
}

/** Returns the tree that clients must see of a model. */
export const treeOf = ({ folders, files }: TreeModel): SeenTree =>
  sorted({ folders: [...folders], files: [...files].map(([key, file]) => ({ key, ...file })) })

export const asStored = ({ folders, files }: SeenTree) => ({
  folders,
  files: files.map(({ key, content }): [string, string] => [key, content]),
})

const byText = (a: string, b: string) => (a < b ? -1 : Number(a > b))

const sorted = ({ folders, files }: SeenTree): SeenTree => ({
  folders: folders.sort(byText),
  files: files.sort((a, b) => byText(a.key, b.key)),
})
