import { expect, test } from 'bun:test'
import { runInside } from '../support/command.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { startOnObjects, variablesOf } from './store.ts'

/** Without the configuration of the store. */
const COMMANDS = ['verify', 'backup <folder>', 'repair --adopt --yes', 'import <folder>']

test.each(COMMANDS)('%s reports an object store that has the bytes, and changes nothing', async (line) => {
  await using instance = await startOnObjects()
  const { holdfast, api } = instance
  await api.upload('a.txt', 'stays')
  await holdfast.stop()
  using folder = temporaryFolder()

  const words = line.split(' ').map((word) => (word === '<folder>' ? folder.path : word))
  const { exitCode, output } = await runInside(words, { DATA_PATH: holdfast.dataPath })

  expect([exitCode, output]).toEqual([1, expect.stringContaining('are in the object store "bucket"')])
  await using again = await instance.restart()
  expect((await again.server.deps.store.files.after('', 9)).map(({ name }) => name)).toEqual(['a.txt'])
})

test('verify compares the objects of the configured store with the catalog', async () => {
  await using instance = await startOnObjects()
  const { holdfast, api, store } = instance
  await api.upload('kept.txt', 'kept', 'deep')
  const lost = await api.upload('lost.txt', 'lost', 'deep')
  const { blobId } = (await holdfast.server.deps.store.files.byId(lost.id)) ?? {}
  await holdfast.stop()
  const variables = { DATA_PATH: holdfast.dataPath, ...variablesOf(store) }
  const verify = async (...options: string[]) => {
    const { exitCode, output } = await runInside(['verify', ...options], variables)
    return [exitCode, output]
  }

  expect(await verify()).toEqual([0, 'Object store and catalog agree\n'])
  store.objects.delete(`blobs/${blobId}`)

  expect(await verify()).toEqual([1, '"deep/lost.txt": bytes are missing\n1 difference\n'])
  const [kept] = [...store.objects.values()].filter(({ bytes }) => bytes.toString() === 'kept')
  kept?.bytes.write('rots')
  expect(await verify()).toEqual([1, '"deep/lost.txt": bytes are missing\n1 difference\n'])
  expect(await verify('--deep')).toEqual([
    1,
    '"deep/lost.txt": bytes are missing\n"deep/kept.txt": content differs\n2 differences\n',
  ])
})
