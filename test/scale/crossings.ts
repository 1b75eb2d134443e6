import { type Api, apiOf } from '../support/api.ts'
import type { RigOptions, Tally } from '../support/tally.ts'
import { type Servers, startServers } from './servers.ts'

/** Clients that change files at the same time. */
const LANES = 8

/** Key of a hosted file, and what a visitor must get for it. */
type Question = [key: string, expected: string | number]

/** Change made on one server, and what another has to respond from then on. */
interface Crossing {
  change: (api: Api) => Promise<unknown>
  questions: Question[]
}

/** Changes of one file and its folder, each asked for on the other server as soon as it is acknowledged. */
function* crossingsOf(lane: string, { id, folderId }: { id: string; folderId: string }): Generator<Crossing> {
  const update = (path: string, body: object) => (api: Api) => api.data('PUT', path, body)
  const text = `text of ${lane}`
  const other = `${lane} renamed`
  yield { change: update('/files', { id, visibility: 'private' }), questions: [[`${lane}/a`, 404]] }
  yield { change: update('/files', { id, visibility: 'public' }), questions: [[`${lane}/a`, text]] }
  const renamed: Question[] = [
    [`${lane}/a`, 404],
    [`${lane}/b`, text],
  ]
  yield { change: update('/files', { id, name: 'b' }), questions: renamed }
  const moved: Question[] = [
    [`${lane}/b`, 404],
    [`${other}/b`, text],
  ]
  yield { change: update('/folders', { id: folderId, name: other }), questions: moved }
  yield {
    change: update('/folders', { id: folderId, visibility: 'private' }),
    questions: [[`${other}/b`, 404]],
  }
  yield {
    change: update('/folders', { id: folderId, visibility: 'public' }),
    questions: [[`${other}/b`, text]],
  }
  const up: Question[] = [
    [`${other}/${lane} up`, 404],
    [`${lane} up`, text],
  ]
  yield { change: update('/files', { id, name: `${lane} up` }), questions: [[`${other}/${lane} up`, text]] }
  const toRoot = (api: Api) => api.data('POST', '/files/move', { id, folder: '' })
  yield { change: toRoot, questions: up }
  yield { change: (api) => api.data('DELETE', '/files', { id }), questions: [[`${lane} up`, 404]] }
}

/** Figures of a run. */
interface Outcome {
  changes: number
  asked: number
  stale: string[]
  /** Times from an acknowledged change to the response of the other server, in milliseconds. */
  times: number[]
}

async function runLane(apis: readonly [Api, Api], lane: number, outcome: Outcome, isDone: () => boolean) {
  for (let round = 0; !isDone(); round += 1) {
    const [here, there] = round % 2 === 0 ? apis : [apis[1], apis[0]]
    const name = `lane ${lane} round ${round}`
    const file = await here.upload('a', `text of ${name}`, name)
    let known: Question[] = [[`${name}/a`, `text of ${name}`]]
    for (const { change, questions } of crossingsOf(name, file)) {
      // The other server has the responses from before the change in its cache.
      for (const [key] of known) for (let n = 0; n < 2; n += 1) await there.hosted(key)
      await change(here)
      const began = performance.now()
      await Promise.all(
        questions.map(async ([key, expected]) => {
          const found = await there.hosted(key)
          outcome.times.push(performance.now() - began)
          outcome.asked += 1
          if (found !== expected) outcome.stale.push(`${key}: ${found} instead of ${expected}`)
        }),
      )
      outcome.changes += 1
      known = questions
    }
    await here.data('DELETE', '/folders', { id: file.folderId })
    if ((await there.browse()).folders.some(({ id }) => id === file.folderId))
      outcome.stale.push(`${name} is listed after its delete`)
    outcome.changes += 1
    outcome.asked += 1
  }
}

async function cross(servers: Servers, count: number): Promise<Outcome> {
  const [one, two] = [await servers.start(), await servers.start()]
  const apis = [apiOf(one, servers.account), apiOf(two, servers.account)] as const
  const outcome: Outcome = { changes: 0, asked: 0, stale: [], times: [] }
  const isDone = () => outcome.changes >= count
  await Promise.all(Array.from({ length: LANES }, (_, lane) => runLane(apis, lane, outcome, isDone)))
  return outcome
}

/** Changes files on one of two servers and asks the other for each change as soon as it is acknowledged. */
export async function rigCrossings(tally: Tally, { count = 10_000 }: RigOptions): Promise<void> {
  await using servers = await startServers()
  const began = performance.now()
  const { changes, asked, stale, times } = await cross(servers, count)
  const seconds = (performance.now() - began) / 1000
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)]?.toFixed(1)
  tally.judge(`${changes} changes, ${asked} questions on the other server`, stale)
  console.log(`  ${(changes / seconds).toFixed(0)} changes/s, response p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`)
}
