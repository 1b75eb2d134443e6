import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { version } from '../package.json'
import { statsFor } from './stats/stats.ts'
import { startInsideWithAccount, withInside } from './support/fixture.ts'

let release: unknown = { version, releases: [] }
const asked: { path: string; headers: string[]; agent: string | null }[] = []
const site = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: ({ url, headers }) => {
    asked.push({
      path: new URL(url).pathname,
      headers: [...headers.keys()].sort(),
      agent: headers.get('user-agent'),
    })
    return Response.json(release)
  },
})
afterAll(() => site.stop(true))
beforeEach(() => asked.splice(0))

const holdfast = withInside({ isAlone: true, environment: { UPDATE_CHECK: `${site.url}release.json` } })

async function alertsAfter(...releases: [version: string, security: boolean][]) {
  release = {
    version: releases[0]?.[0] ?? version,
    releases: releases.map(([version, security]) => ({ version, security })),
  }
  await holdfast.server.jobs.runAll()
  const admin = await holdfast.addUser('admin')
  return (await statsFor(holdfast, admin.withSession)).alerts.filter(
    ({ type }) => type === 'security-release',
  )
}

const NEXT = [99, 98].map((major) => `${major}.0.0`) as [string, string]

describe('the check for updates', () => {
  test('shows admins a release that fixes a vulnerability, and the log says so', async () => {
    expect(await alertsAfter([NEXT[0], true])).toEqual([{ type: 'security-release', version: NEXT[0] }])
    expect(await alertsAfter([NEXT[0], true])).toHaveLength(1)
    const editor = await holdfast.addUser('editor')
    const seen = (await statsFor(holdfast, editor.withSession)).alerts.map(({ type }) => type)

    const told = `Holdfast ${NEXT[0]} fixes a vulnerability of ${version}: update soon`
    expect(holdfast.securityLines.filter(({ message }) => message === told)).toHaveLength(1)
    expect(seen).not.toContain('security-release')
  })

  test('counts every fix since this version, and shows the newest release', async () => {
    expect(await alertsAfter([NEXT[0], false], [NEXT[1], true], [version, true])).toEqual([
      { type: 'security-release', version: NEXT[0] },
    ])
  })

  test('shows nothing for releases without one, or with one that is there already', async () => {
    expect(await alertsAfter([NEXT[0], false], [version, true], ['0.0.9', true])).toEqual([])
  })

  test('sends nothing about the instance', async () => {
    await alertsAfter([version, false])

    const headers = ['accept', 'accept-encoding', 'connection', 'host', 'user-agent']
    expect(asked).toEqual([{ path: '/release.json', headers, agent: 'Holdfast' }])
  })

  test('keeps what it found when the file is no release, and logs why', async () => {
    await alertsAfter([NEXT[0], true])
    release = { version: '<b>' }
    await holdfast.server.jobs.runAll()
    const admin = await holdfast.addUser('admin')

    const { alerts } = await statsFor(holdfast, admin.withSession)
    expect(alerts).toContainEqual({ type: 'security-release', version: NEXT[0] })
    expect(holdfast.logged.map(({ message }) => message)).toContain('Update check failed')
  })
})

/** Files of a release that minisign signed, by one of two keys. */
const SIGNED = {
  key: 'RWT+4TzdXBu6pcXKFY3fRxW6pIc2Ul19EqpskQoCiFlhIXxqy1Heizig',
  other: 'RWSar4HcK9+OjM7g5rkTW1mG9tguUqzBtI47phA1p1MOXo8uNzr3241L',
  release: '{"version":"99.0.0","releases":[{"version":"99.0.0","security":true}]}',
  sums: '3b28b9dd3ea8f5a757941fdeb9afde83849f337d76d16a68c147432a3c908819  release.json\n',
  signature: [
    'untrusted comment: signature from minisign secret key',
    'RUT+4TzdXBu6paYXOUOxZjRyi1a6wNqvCWRXYb2I49I1cOdWDaJI6i0i18iHjiVaqZsd0MEydf0rBrRQRnmMOq5257tVnvdbYgs=',
    'trusted comment: holdfast 99.0.0',
    'YqFo/P59BJRZlKLhwH3j+vLXsdS/9ZkIZqvEf3QkhYSCRIvxMsdoBOD4fPWJmIZx8LAu+XtIbopxjAfpRSjhDw==',
  ],
  legacy: [
    'untrusted comment: signature from minisign secret key',
    'RWT+4TzdXBu6pX5otgGHWdF14qdb60s7Z4rFSojsmnSVctfADm8rRaF2HVKrQynUH9EQ4+5/34G18EZgIVLfIoCzSls7sjQJhQs=',
    'trusted comment: holdfast 99.0.0',
    'ngDPlmKGe+sUw6rb1q2SnEiPiHBbUmmOLW3fF+3S4JL72VbIf3Kc2ahLoLMkGYBA+Z6hE+qqcXg5ypTd/v4HDQ==',
  ],
}

describe('the check of a signed release', () => {
  const { signature, legacy } = SIGNED
  const commented = (lines: string[]) => lines.with(2, 'trusted comment: holdfast 98.0.0')
  test.each<[string, Partial<typeof SIGNED>, boolean]>([
    ['is believed', {}, true],
    ['signed without a hash is believed', { signature: legacy }, true],
    ['by another key is not', { key: SIGNED.other }, false],
    ['with another comment is not', { signature: commented(signature) }, false],
    ['with other checksums is not', { sums: SIGNED.sums.replace('3', '4') }, false],
    ['with another file is not', { release: SIGNED.release.replace('true', 'true ') }, false],
    ['without a signature is not', { signature: [] }, false],
  ])('%s', async (_, change, isBelieved) => {
    const { release, sums, signature, key } = { ...SIGNED, ...change }
    const files: Record<string, string> = {
      '/latest/release.json': release,
      '/latest/SHA256SUMS': sums,
      '/latest/SHA256SUMS.minisig': signature.join('\n'),
    }
    await using signed = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ url }) => new Response(files[new URL(url).pathname] ?? null),
    })
    const environment = { UPDATE_CHECK: `${signed.url}latest/release.json`, UPDATE_CHECK_KEY: key }
    await using own = await startInsideWithAccount({ isAlone: true, environment })
    await own.server.jobs.runAll()

    const found = own.securityLines.filter(({ message }) => message.startsWith('Holdfast 99.0.0 fixes'))
    expect(found).toHaveLength(isBelieved ? 1 : 0)
    expect(own.logged.some(({ message }) => message === 'Update check failed')).toBe(!isBelieved)
  })
})
