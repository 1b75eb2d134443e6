import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { version } from '../package.json'
import { statsFor } from './stats/stats.ts'
import { withInside } from './support/fixture.ts'

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
