import { expect, test } from 'bun:test'
import { signIn, statusOf, trySignIn } from '../support/accounts.ts'
import { apiOf } from '../support/api.ts'
import { ADMIN, register } from '../support/holdfast.ts'
import { spawnCommand } from '../support/process.ts'
import { openEach } from './instances.ts'

const each = openEach()

/** Runs the program with the configuration of the servers. Its data folder does not exist. */
const run = (...words: string[]) =>
  spawnCommand(words, { ...each.nodes.environment, DATA_PATH: '/tmp/holdfast-that-does-not-exist' })

test('an admin is created before the first server starts', async () => {
  const { exitCode, output } = await run('admin', 'create', 'grace@example.com')
  expect([exitCode, output]).toEqual([
    0,
    expect.stringMatching(
      /^grace@example.com is an admin of the instance in the shared database\. The password is \S+\n$/,
    ),
  ])
  const password = output.trim().split(' ').at(-1) ?? ''
  const node = await each.nodes.start()

  expect((await (await signIn(node, 'grace@example.com', password)).api.send('GET', '/users')).status).toBe(
    200,
  )
  expect((await run('admin', 'create', 'grace@example.com')).output).toContain(
    'exists: "admin reset-password"',
  )
})

test('a password is reset beside a server, and the sessions of the account end', async () => {
  const node = await each.nodes.start()
  await register(node)
  const session = await signIn(node, ADMIN.email)
  expect(await statusOf(session.api)).toBe(200)

  const { exitCode, output } = await run('admin', 'reset-password', ADMIN.email)

  expect(exitCode).toBe(0)
  expect(await statusOf(session.api)).toBe(401)
  expect((await trySignIn(node, ADMIN.email)).status).toBe(401)
  expect((await trySignIn(node, ADMIN.email, output.trim().split(' ').at(-1))).status).toBe(200)
})

test('verify compares rows, totals, names and objects beside a server', async () => {
  const node = await each.nodes.start()
  const api = apiOf(node, await register(node))
  const lost = await api.upload('lost.txt', 'lost', 'deep')
  await api.upload('rots.txt', 'rots')
  expect(await run('verify', '--deep')).toEqual({ exitCode: 0, output: 'Object store and catalog agree\n' })

  const { blobId } = (await node.server.deps.store.files.byId(lost.id)) ?? {}
  each.nodes.store.objects.delete(`blobs/${blobId}`)
  for (const { bytes } of each.nodes.store.objects.values())
    if (bytes.toString() === 'rots') bytes.write('ROTS')
  await each.nodes.query(
    "DELETE FROM names WHERE name = 'rots.txt'; UPDATE total_parts SET size = size + 1 WHERE total = 'day'",
  )

  expect(await run('verify', '--deep')).toEqual({
    exitCode: 1,
    output: [
      'The running total "file_days" is not what a recount gives',
      'The running total "names" is not what a recount gives',
      '"deep/lost.txt": bytes are missing',
      '"rots.txt": content differs',
      '4 differences\n',
    ].join('\n'),
  })
})

test('verify changes nothing in a database that no server has used', async () => {
  const { exitCode, output } = await run('verify')
  expect([exitCode, output]).toEqual([1, expect.stringContaining('has no instance yet')])
  await each.nodes.query('CREATE TABLE schema_version (version bigint)')
})
