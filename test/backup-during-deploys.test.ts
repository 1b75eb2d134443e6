import { expect, test } from 'bun:test'
import type { Api } from './support/api.ts'
import { snapshotsIn, startWithBackups } from './support/backups.ts'
import { spawnCommand } from './support/process.ts'
import { buildArchive } from './zip/build-archive.ts'

const FILES = 60
const BACKUPS = 4
/** Number of deploys during each backup: fewer than those after which it starts over. */
const DEPLOYS = 6

/** Uploads a version beside the site, then replaces the site by it, as `holdfast deploy` does. */
async function deploy(api: Api, version: number) {
  const files = Array.from({ length: FILES }, (_, at) => ({
    path: `part ${at % 5}/${version}-${at}`,
    content: `version ${version}, file ${at} `.repeat(2000),
  }))
  await api.sendBody('POST', '/folders/import?folder=new', buildArchive(files))
  const { folders } = await api.browse()
  const idOf = (key: string) => folders.find((folder) => folder.key === key)?.id
  const [live, next] = [idOf('site'), idOf('new')]
  if (live) await api.data('POST', '/folders/replace', { id: next, replaces: live })
  else await api.data('PUT', '/folders', { id: next, name: 'site' })
}

/** Returns the versions of the files in each folder, with the number of files of each version. */
async function versionsIn(api: Api): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const { key, name } of await api.list({ limit: 1000 })) {
    const place = `${key.split('/')[0]} ${name.split('-')[0]}`
    counts.set(place, (counts.get(place) ?? 0) + 1)
  }
  return counts
}

test('a backup beside deploys restores whole versions only, in a state that existed', async () => {
  await using source = await startWithBackups()
  const { api, holdfast, backups } = source
  let version = 0
  await deploy(api, version)

  for (let n = 0; n < BACKUPS; n += 1) {
    const backup = spawnCommand(['backup', backups], { DATA_PATH: holdfast.dataPath })
    for (let count = 0; count < DEPLOYS; count += 1) await deploy(api, ++version)
    expect(await backup).toMatchObject({ exitCode: 0, output: expect.stringContaining('0 damaged') })
  }

  expect(snapshotsIn(backups)).toHaveLength(BACKUPS)
  for (const name of snapshotsIn(backups)) {
    const restore = await source.restore(name, '--at', name)
    expect(restore).toMatchObject({ exitCode: 0 })
    await using opened = await source.open(name)
    const restored = opened.api
    const found = await versionsIn(restored)
    expect([...found.values()].filter((count) => count !== FILES)).toEqual([])
    expect([...found.keys()].filter((place) => place.startsWith('site '))).toHaveLength(
      (await restored.browse()).folders.some(({ key }) => key === 'site') ? 1 : 0,
    )
    for (const { key } of (await restored.list({ limit: 1000 })).slice(0, 5))
      expect(await restored.hosted(key)).toContain(`version ${key.split('/')[2]?.split('-')[0]}, `)
  }
})
