import { expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Api } from '../support/api.ts'
import { Chance } from '../support/chance.ts'
import { runInside } from '../support/command.ts'
import { rounds } from '../support/eventually.ts'
import { startInsideWithAccount } from '../support/fixture.ts'
import { type FileView, filesUnder, type Inside } from '../support/holdfast.ts'
import { expectNoIntents } from '../support/intents.ts'

const WORKERS = 4
const STEPS = 60
const SEED = 26112226

/** Run in which clients change files over HTTP while an operator changes them on disk. */
class Run {
  readonly #holdfast: Inside
  readonly #api: Api
  readonly chance = new Chance(SEED)
  /** Acknowledged files by id. */
  readonly files = new Map<string, { key: string; content: string }>()
  /** Ids of the files that the hand edited or removed. */
  readonly touched = new Set<string>()
  /** Every content that a key ever had. */
  readonly contents = new Map<string, Set<string>>()
  /** Paths and bytes that the hand added. */
  readonly added = new Map<string, string>()
  readonly failures: string[] = []
  #names = 0

  constructor(holdfast: Inside, api: Api) {
    this.#holdfast = holdfast
    this.#api = api
  }

  onDisk = (key: string) => join(this.#holdfast.dataPath, 'uploads', key)

  /** Returns a name that no other file ever has, so that a path means one file. */
  name = () => `f${this.#names++}`

  stood(key: string, content: string): void {
    const seen = this.contents.get(key) ?? new Set()
    this.contents.set(key, seen.add(content))
  }

  async send(method: string, path: string, body?: unknown): Promise<Response> {
    const response = await this.#api.send(method, path, body)
    if (response.status >= 500)
      this.failures.push(`${method} ${path}: ${response.status} ${await response.clone().text()}`)
    return response
  }

  /** Makes one change as a client in its own folder. */
  async step(folder: string): Promise<void> {
    const own = [...this.files.keys()].filter((id) => this.files.get(id)?.key.startsWith(`${folder}/`))
    const id = this.chance.pick(own)
    const file = id === undefined ? undefined : this.files.get(id)
    if (id === undefined || file === undefined) return this.upload(folder)
    switch (this.chance.below(8)) {
      case 0:
        return this.move(id, () => this.send('PUT', '/files', { id, name: this.name() }))
      case 1:
        return this.move(id, () =>
          this.send('POST', '/files/move', { id, folder: `${folder}/sub${this.chance.below(3)}` }),
        )
      case 2:
        return this.remove(id)
      case 3:
        return this.look(file.key)
      case 4:
        await this.send('GET', `/files/download/${id}`).then((response) => response.text().catch(() => ''))
        return
      case 5:
        await this.send('GET', `/folders/download?key=${folder}`).then((response) =>
          response.arrayBuffer().catch(() => {}),
        )
        return
      default:
        return this.upload(folder)
    }
  }

  async upload(folder: string): Promise<void> {
    const name = this.name()
    const content = `content of ${name}`
    this.stood(`${folder}/${name}`, content)
    const { id, key } = await this.#api.upload(name, content, folder)
    this.files.set(id, { key, content })
  }

  async move(id: string, send: () => Promise<Response>): Promise<void> {
    const file = this.files.get(id)
    if (!file) return
    const response = await send()
    if (response.status !== 200) return void response.text()
    const { data } = (await response.json()) as { data: { file: FileView } }
    for (const content of this.contents.get(file.key) ?? []) this.stood(data.file.key, content)
    this.files.set(id, { ...file, key: data.file.key })
  }

  async remove(id: string): Promise<void> {
    this.files.delete(id)
    await this.send('DELETE', '/files', { id }).then((response) => response.text())
  }

  /** Reads a hosted file. The response must be a complete content that the key once had. */
  async look(key: string): Promise<void> {
    const response = await this.#holdfast.fetch(`/api/hosting/${key}`)
    // A file that is cut while it is sent breaks the response off.
    const text = await response.text().catch(() => undefined)
    if (response.status === 404 || text === undefined) return
    if (response.status !== 200 || !this.contents.get(key)?.has(text))
      this.failures.push(`hosting of ${key}: ${response.status} ${JSON.stringify(text)}`)
  }

  /** Makes one change on disk, of a stored file or beside it. */
  byHand(): void {
    const id = this.chance.pick([...this.files.keys()])
    const file = id === undefined ? undefined : this.files.get(id)
    if (id === undefined || file === undefined || !existsSync(this.onDisk(file.key))) return
    const path = this.onDisk(file.key)
    switch (this.chance.below(5)) {
      case 0:
        this.touched.add(id)
        rmSync(path)
        return
      case 1:
        this.write(id, file.key, file.content.toUpperCase())
        return
      case 2:
        this.write(id, file.key, `${file.content}, longer`)
        return
      case 3:
        this.touched.add(id)
        this.stood(file.key, `${file.content}, replaced`)
        writeFileSync(this.onDisk('by-hand'), `${file.content}, replaced`)
        renameSync(this.onDisk('by-hand'), path)
        return
      default:
        this.add(`${dirname(file.key)}/${this.name()}`)
    }
  }

  /** Writes over a file in place: it is empty for a moment. */
  write(id: string, key: string, content: string): void {
    this.touched.add(id)
    this.stood(key, content)
    this.stood(key, '')
    truncateSync(this.onDisk(key))
    writeFileSync(this.onDisk(key), content, { flag: 'r+' })
  }

  add(key: string): void {
    writeFileSync(this.onDisk(key), `${key} of the hand`)
    this.added.set(key, `${key} of the hand`)
  }

  /** Differences of disk and catalog, found without Holdfast. */
  async differences(): Promise<string[]> {
    const listed = await this.#api.list()
    const known = new Set(listed.map(({ key }) => key))
    const lines = listed.flatMap(({ id, key, size }) => {
      if (!existsSync(this.onDisk(key))) return [`"${key}": bytes are missing`]
      const text = readFileSync(this.onDisk(key), 'utf8')
      if (text.length !== size) return [`"${key}": size differs`]
      return text === this.files.get(id)?.content ? [] : [`"${key}": content differs`]
    })
    const strangers = filesUnder(this.#holdfast, 'uploads')
      .filter((path) => statSync(this.onDisk(path)).isFile() && !known.has(path))
      .map((path) => `"${path}": not in the catalog`)
    return [...lines, ...strangers].sort()
  }
}

test('files edited, added and removed by hand beside a working server cost no other file', async () => {
  let skippedMs = 0
  const clock = { now: Date.now, monotonic: () => performance.now() + skippedMs }
  await using holdfast = await startInsideWithAccount({ clock })
  const run = new Run(holdfast, holdfast.api)
  let isOver = false
  const hand = async () => {
    for (; !isOver; await rounds(1 + run.chance.below(20))) run.byHand()
  }
  const client = async (folder: string) => {
    for (let step = 0; step < STEPS; step += 1) await run.step(folder)
  }

  const work = hand()
  await Promise.all(Array.from({ length: WORKERS }, (_, n) => client(`w${n}`)))
  isOver = true
  await work
  mkdirSync(run.onDisk('folder of the hand'))
  // Hosting compares with the disk once a second.
  skippedMs = 1100

  expect(run.failures).toEqual([])
  expect(run.touched.size).toBeGreaterThan(10)
  expect(run.added.size).toBeGreaterThan(5)
  expect((await holdfast.api.list()).map(({ id }) => id).sort()).toEqual([...run.files.keys()].sort())
  const { hosted } = holdfast.api
  for (const [id, { key, content }] of run.files) {
    const standing = existsSync(run.onDisk(key)) ? readFileSync(run.onDisk(key), 'utf8') : 404
    expect([key, await hosted(key)]).toEqual([key, standing])
    if (!run.touched.has(id)) expect([key, standing]).toEqual([key, content])
  }
  for (const [path, content] of run.added) expect(readFileSync(run.onDisk(path), 'utf8')).toBe(content)
  await expectNoIntents(holdfast)
  expect(filesUnder(holdfast, 'tmp')).toEqual([])

  const { output } = await runInside(['verify', '--deep'], { DATA_PATH: holdfast.dataPath })
  const expected = [...(await run.differences()), '"folder of the hand": not in the catalog'].sort()
  expect(output.trim().split('\n').slice(0, -1).sort()).toEqual(expected)
})
