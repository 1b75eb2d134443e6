import { expect } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Holdfast, sendUpload } from '../support/holdfast.ts'

/** Content that no response may contain. */
export const OUTSIDE = 'bytes from outside'

export interface Race {
  holdfast: Pick<Holdfast, 'fetch' | 'dataPath'>
  withKey: Record<string, string>
  rounds: number
}

/** Outcomes of the requests of a race. */
export interface SeenInRace {
  /** Number of responses by request and status. */
  statuses: Map<string, number>
  /** Responses with bytes from outside. */
  leaks: string[]
}

/**
 * Swaps a stored folder for a link to one outside the volume, and back, again and again, while it is read,
 * archived and uploaded into.
 */
export async function raceOfSwaps({ holdfast, withKey, rounds }: Race): Promise<SeenInRace> {
  const { fetch, dataPath } = holdfast
  const outside = join(dataPath, 'raced outside')
  const folder = join(dataPath, 'uploads', 'raced')
  mkdirSync(outside)
  writeFileSync(join(outside, 'f'), OUTSIDE)
  const send = (name: string) =>
    sendUpload(holdfast, withKey, { files: { [name]: 'stored' }, folder: 'raced' })
  expect((await send('f')).status).toBe(200)

  const seen: SeenInRace = { statuses: new Map(), leaks: [] }
  const look = async (what: string, asked: Promise<Response>) => {
    const response = await asked
    // An archive that breaks off half-way has no end.
    const text = await response.text().catch(() => '')
    const outcome = `${what} ${response.status}`
    seen.statuses.set(outcome, (seen.statuses.get(outcome) ?? 0) + 1)
    if (text.includes(OUTSIDE)) seen.leaks.push(outcome)
  }
  for (let round = 0; round < rounds; round += 1) {
    const asked = [
      look('hosting', fetch(`/api/hosting/raced/f?${round}`)),
      look('zip', fetch('/api/folders/download?key=raced', { headers: withKey })).catch(() => undefined),
      ...(round % 5 === 0 ? [look('upload', send(`u${round}`))] : []),
    ]
    await Bun.sleep(0)
    renameSync(folder, `${folder}-away`)
    symlinkSync(outside, folder)
    await Bun.sleep(round % 3)
    rmSync(folder)
    renameSync(`${folder}-away`, folder)
    await Promise.all(asked)
  }
  return seen
}

/** Expects that no response has outside content, no file was written outside, and both sides of the race occurred. */
export function expectNothingFromOutside(seen: SeenInRace, { dataPath }: Pick<Holdfast, 'dataPath'>): void {
  const outside = join(dataPath, 'raced outside')
  expect(seen.leaks).toEqual([])
  expect(readdirSync(outside)).toEqual(['f'])
  expect(readFileSync(join(outside, 'f'), 'utf8')).toBe(OUTSIDE)
  expect([...seen.statuses.keys()]).toEqual(expect.arrayContaining(['hosting 200', 'hosting 404']))
}
