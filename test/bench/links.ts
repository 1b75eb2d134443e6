import { join } from 'node:path'
import { registerWith, spawnHoldfast } from '../support/process.ts'
import { KiB, type Report } from './report.ts'
import { findTool, howToGet } from './tools.ts'
import { openWorkspace } from './workspace.ts'
import { runWrk } from './wrk.ts'

const ROUNDS = 5
const SECONDS = 2
const TITLE = 'A private file of 16 KiB by its signed link, wrk with 1 thread and 64 connections'

/** A private file asked for by its signed link beside a public one, at the same server in turns. */
export async function benchLinks(signal: AbortSignal): Promise<Report> {
  const report = { title: TITLE, peer: 'public', comparisons: [], memory: [], notes: [] }
  const wrk = findTool('wrk')
  if (!wrk) return { ...report, notes: [howToGet('wrk')] }
  using workspace = openWorkspace()
  const environment = { RATE_LIMIT_HOSTING: '1000000000' }
  await using holdfast = await spawnHoldfast({ dataPath: join(workspace.path, 'data'), environment })
  const { withKey } = await registerWith(holdfast)

  async function store(name: string, visibility: string): Promise<string> {
    const body = new FormData()
    body.append('visibility', visibility)
    body.append('files', new Blob([new Uint8Array(16 * KiB)]), name)
    const answer = await holdfast.fetch('/api/files', { method: 'POST', headers: withKey, body })
    const { data } = (await answer.json()) as { data: { files: { id: string }[] } }
    return data.files[0]?.id ?? ''
  }
  async function load(path: string): Promise<number> {
    const found = await runWrk(
      wrk ?? '',
      { url: `${holdfast.url}/${path}`, headers: {}, seconds: SECONDS },
      signal,
    )
    if (found.refusals + found.socketErrors > 0) throw new Error(`${path} was not always served`)
    return found.requestsPerSecond
  }

  await store('open', 'public')
  const signing = {
    method: 'POST',
    headers: withKey,
    body: JSON.stringify({ id: await store('closed', 'private') }),
  }
  const { data } = (await (await holdfast.fetch('/api/files/sign', signing)).json()) as {
    data: { url: string }
  }
  const found = { ours: [] as number[], peer: [] as number[] }
  for (let round = 0; round < ROUNDS; round += 1) {
    found.peer.push(await load('api/hosting/open'))
    found.ours.push(await load(data.url))
  }
  const show = (rate: number) => `${Math.round(rate)} req/s`
  return { ...report, comparisons: [{ what: '16 KiB', ...found, target: 0.8, show }] }
}
