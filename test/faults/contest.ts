import type { RigOptions, Tally } from '../support/tally.ts'
import type { Bench } from './bench.ts'
import { inspect, readState } from './inspect.ts'
import type { World } from './world.ts'

const UPLOADS = 4

/** Uploads files of one name at the same time. One of them must get the name, with its bytes. */
export async function contest(bench: Bench, tally: Tally, { isDeep }: RigOptions): Promise<void> {
  const rounds = isDeep ? 100 : 20
  const world = await bench.startWorld()
  const violations: string[] = []
  const winners = new Map<string, string>()
  for (let round = 0; round < rounds; round++) {
    const name = `contested-${round}`
    const accepted = await race(world, name)
    if (accepted.length !== 1) violations.push(`${name} was accepted ${accepted.length} times`)
    winners.set(name, accepted[0] ?? '')
  }
  await world.reboot()
  for (const [name, content] of winners) {
    const hosted = await (await world.fetch(`/api/hosting/${name}`)).text()
    if (hosted !== content) violations.push(`${name} has not the bytes that were accepted`)
  }
  violations.push(...(await inspect(world, world.account)).violations)
  if (readState(world).files.size !== rounds) violations.push('there are more or fewer files than names')
  await world.remove()
  tally.add('same name at once', rounds, violations)
}

/** Sends the uploads. Returns the contents that the server accepted. */
async function race(world: World, name: string): Promise<string[]> {
  const contents = Array.from({ length: UPLOADS }, (_, n) => `${name} by ${n}`)
  const answers = await Promise.all(
    contents.map((content) => {
      const body = new FormData()
      body.append('files', new Blob([content]), name)
      return world.fetch('/api/files', { method: 'POST', body, headers: world.account?.withKey ?? {} })
    }),
  )
  return contents.filter((_, n) => answers[n]?.status === 200)
}
