/**
 * Counts the functions and files that the server enters for single requests: `bun run walks [<folder of a source>]`.
 * For comparing two sources. It measures no times. `--files` lists each file with its calls in the order of entry.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { apiOf } from '../support/api.ts'
import { ADMIN } from '../support/holdfast.ts'
import { type HoldfastProcess, registerWith, spawnHoldfast } from '../support/process.ts'
import { trashOf } from '../support/trash.ts'
import { begin, sendBegin, sendPiece } from '../uploads/tus.ts'
import { instrument } from './instrument.ts'

/** Repetitions of each request. The shortest walk counts, because a job may run during one. */
const ROUNDS = 5

const { values: options, positionals } = parseArgs({
  args: process.argv.slice(2),
  options: { files: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const root = resolve(positionals[0] ?? join(import.meta.dir, '../..'))
const folder = mkdtempSync(join(tmpdir(), 'holdfast-walks-'))
const socket = join(folder, 'socket')
try {
  const copy = join(folder, 'copy')
  await instrument(root, copy)
  await using holdfast = await spawnHoldfast({
    dataPath: join(folder, 'data'),
    environment: { WALKS_SERVER: copy, WALKS_SOCKET: socket },
    program: join(import.meta.dir, 'recorder.ts'),
  })
  console.log('request                  calls  files  moves  folders  folder moves')
  for (const [name, send] of await requests(holdfast)) console.log(await measure(name, send))
} finally {
  rmSync(folder, { recursive: true })
}

type Send = (round: number) => Promise<Response>

/** Items that one round changes. */
interface Items {
  /** Folder of two files. */
  folderId: string
  kept: string
  trashed: string
  /** Path of an unfinished upload. */
  upload: string
}

/** Prepares what the requests need, and returns them. */
async function requests(holdfast: HoldfastProcess): Promise<[name: string, send: Send][]> {
  const { withKey, cookie } = await registerWith(holdfast)
  const api = apiOf(holdfast, { withKey })
  const items: Items[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const { folderId } = await api.upload(`a${round}.txt`, 'content', `in${round}`)
    await api.upload(`b${round}.txt`, 'content', `in${round}`)
    const { id: kept } = await api.upload(`kept${round}`, 'content')
    const { id: trashed } = await api.upload(`trashed${round}`, 'content')
    await trashOf(api).put({ fileIds: [trashed] })
    const upload = await begin(holdfast, withKey, { length: 5, fields: { name: `piece${round}` } })
    items.push({ folderId, kept, trashed, upload })
  }
  const { id } = await api.upload('shared.txt', 'content')
  const session = apiOf(holdfast, { withKey: { Cookie: cookie } })
  const { share } = await session.data<{ share: { slug: string } }>('POST', '/shares', {
    items: [{ fileId: id }],
  })
  /** Returns a request that needs the items of its round. */
  const withItems = (send: (own: Items, round: number) => Promise<Response>) => (round: number) => {
    const own = items[round]
    if (!own) throw new Error(`Round ${round} has no items`)
    return send(own, round)
  }
  const { email, password } = ADMIN
  return [
    ['GET hosted file, cold', (round) => holdfast.fetch(`/api/hosting/in${round}/a${round}.txt`)],
    ['GET hosted file, hot', () => holdfast.fetch('/api/hosting/in0/a0.txt')],
    ['upload by a form', (round) => sendFile(holdfast, withKey, `small${round}.txt`)],
    ['tus: create', (round) => sendBegin(holdfast, withKey, { length: 5, fields: { name: `tus${round}` } })],
    [
      'tus: patch',
      withItems(({ upload }) => sendPiece(holdfast, withKey, { path: upload, offset: 0, body: 'piece' })),
    ],
    ['download from a share', () => holdfast.fetch(`/api/s/${share.slug}/files/${id}?download=1`)],
    ['search', () => api.send('GET', '/search?q=content')],
    ['list, the same page', () => api.send('GET', '/files?limit=10')],
    ['zip of two files', (round) => api.send('GET', `/folders/download?key=in${round}`)],
    ['trash', withItems(({ kept }) => api.send('POST', '/trash', { fileIds: [kept] }))],
    ['restore', withItems(({ trashed }) => api.send('POST', '/trash/restore', { ids: [trashed] }))],
    [
      'folder move',
      withItems(({ folderId }, round) =>
        api.send('POST', '/folders/move', { id: folderId, folder: `moved${round}` }),
      ),
    ],
    [
      'sign-in',
      () => apiOf(holdfast, { withKey: {} }).send('POST', '/auth/sign-in/email', { email, password }),
    ],
  ]
}

function sendFile(holdfast: HoldfastProcess, headers: Record<string, string>, name: string) {
  const body = new FormData()
  body.append('files', new File(['small'], name))
  return holdfast.fetch('/api/files', { method: 'POST', headers, body })
}

/** Functions entered, in order: the file and the first line of each. */
type Walk = [file: string, line: string][]

async function takeWalk(): Promise<Walk> {
  return (await (await fetch('http://localhost/', { unix: socket })).json()) as Walk
}

async function measure(name: string, send: Send): Promise<string> {
  const walks: Walk[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    await Bun.sleep(50)
    await takeWalk()
    const response = await send(round)
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`${name}: ${response.status}`)
    await Bun.sleep(20)
    walks.push(await takeWalk())
  }
  const [walk = []] = walks.sort((a, b) => a.length - b.length)
  const files = walk.map(([file]) => file)
  const folders = files.map(dirname)
  if (options.files) list(name, walk)
  const figures = [walk.length, new Set(files).size, moves(files), new Set(folders).size, moves(folders)]
  return (
    name.padEnd(24) + figures.map((figure, at) => String(figure).padStart([6, 7, 7, 9, 14][at] ?? 0)).join('')
  )
}

function list(name: string, walk: Walk): void {
  console.log(`\n${name}`)
  for (const [file, calls] of Map.groupBy(walk, ([file]) => file)) {
    console.log(`  ${file}`)
    for (const [line, { length }] of Map.groupBy(calls, ([, line]) => line))
      console.log(`    ${length > 1 ? `${length} x ` : ''}${line}`)
  }
}

function moves(places: readonly string[]): number {
  return places.filter((place, at) => at > 0 && place !== places[at - 1]).length
}
