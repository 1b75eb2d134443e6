/**
 * Counts the functions and files that the server enters for single requests: `bun run walks [<folder of a source>]`.
 * For comparing two sources. It measures no times. `--files` lists each file with its calls in the order of entry.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ADMIN, upload } from '../support/holdfast.ts'
import { type HoldfastProcess, registerWith, spawnHoldfast } from '../support/process.ts'
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

interface Folders {
  data: { folders: { id: string; key: string }[] }
}

type Send = (round: number) => Promise<Response>

async function requests(holdfast: HoldfastProcess): Promise<[name: string, send: Send][]> {
  const { withKey } = await registerWith(holdfast)
  const json = { ...withKey, 'Content-Type': 'application/json' }
  const get = (path: string) => fetch(`${holdfast.url}${path}`, { headers: withKey })
  for (let round = 0; round < ROUNDS; round += 1)
    for (const name of ['a', 'b'])
      await upload(holdfast, withKey, {
        name: `${name}${round}.txt`,
        content: 'content',
        folder: `in${round}`,
      })
  const { data } = (await (await get('/api/folders')).json()) as Folders
  const idOf = (key: string) => data.folders.find((found) => found.key === key)?.id
  return [
    ['GET hosted file, cold', (round) => fetch(`${holdfast.url}/api/hosting/in${round}/a${round}.txt`)],
    ['GET hosted file, hot', () => fetch(`${holdfast.url}/api/hosting/in0/a0.txt`)],
    ['upload of a small file', (round) => sendFile(holdfast, withKey, `small${round}.txt`)],
    ['list, the same page', () => get('/api/files?limit=10')],
    ['zip of two files', (round) => get(`/api/folders/download?key=in${round}`)],
    [
      'sign-in',
      () =>
        fetch(`${holdfast.url}/api/auth/sign-in/email`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ email: ADMIN.email, password: ADMIN.password }),
        }),
    ],
    [
      'folder move',
      (round) =>
        fetch(`${holdfast.url}/api/folders/move`, {
          method: 'POST',
          headers: json,
          body: JSON.stringify({ id: idOf(`in${round}`), folder: `moved${round}` }),
        }),
    ],
  ]
}

function sendFile(holdfast: HoldfastProcess, headers: Record<string, string>, name: string) {
  const body = new FormData()
  body.append('files', new File(['small'], name))
  return fetch(`${holdfast.url}/api/files`, { method: 'POST', headers, body })
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
