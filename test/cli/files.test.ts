import { describe, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { rounds } from '../support/eventually.ts'
import { startWithAccount, withHoldfast } from '../support/fixture.ts'
import { programCommand } from '../support/program.ts'
import { startProxy } from '../support/proxy.ts'
import { createPerson, createPersonAt, withPerson } from './run.ts'

const holdfast = withHoldfast()
const { api } = holdfast
const person = withPerson(holdfast)

const NOWHERE = 'http://127.0.0.1:1'
const UUID = '01a1fce6-031d-74f7-a06c-306003e1fcab'

const local = (path: string) => join(person.folder, path)

/** Names of unfinished files in a person's folder. */
const partials = (name: string, { folder } = person) =>
  readdirSync(folder).filter((entry) => entry.startsWith(`.${name}.holdfast-`))

/** Starts a proxy between the command and the server. It passes on the requests that `answer` does not handle. */
const between = (answer: (path: string) => Response | undefined) =>
  Bun.serve({
    port: 0,
    fetch: ({ url, method, headers }) => {
      const { pathname, search } = new URL(url)
      const passed = { method, headers, decompress: false }
      return answer(pathname) ?? fetch(`${holdfast.url}${pathname}${search}`, passed)
    },
  })

describe('login', () => {
  test('stores the address and the key, readable only by their owner', async () => {
    using other = createPerson()

    const before = await other.run('ls')
    const login = await other.pipe(`${holdfast.key}\n`, 'login', holdfast.url)
    const after = await other.run('ls')

    expect(before).toMatchObject({ exitCode: 1, stdout: '' })
    expect(before.stderr).toContain('holdfast login <url>')
    const stderr = `Logged in to ${holdfast.url} as ada@example.com\n`
    expect(login).toEqual({ exitCode: 0, stdout: '', stderr })
    expect(after.exitCode).toBe(0)
    const path = join(other.folder, 'config/holdfast/config.json')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ url: holdfast.url, key: holdfast.key })
  })

  test.each([
    ['an invalid key', () => holdfast.url, 'hf_no', 'The API key is invalid, expired or deleted'],
    ['the address of a page', () => `${holdfast.url}/files`, 'hf_no', 'No Holdfast answers at'],
    ['an address without a server', () => NOWHERE, 'hf_no', `No response from ${NOWHERE}`],
    ['an invalid address', () => 'files.example.com', 'hf_no', 'is not an http or https address'],
  ])('with %s keeps nothing', async (_, url, key, words) => {
    using other = createPerson()

    const { exitCode, stderr } = await other.pipe(key, 'login', url())

    expect(exitCode).toBe(1)
    expect(stderr).toStartWith('holdfast: ')
    expect(stderr).toContain(words)
    expect(stderr.split('\n')).toHaveLength(2)
    expect(readdirSync(other.folder)).toEqual([])
  })
})

test('whoami prints the account, and logout removes the stored key', async () => {
  using other = createPerson()
  await other.pipe(holdfast.key, 'login', holdfast.url)

  const known = await other.run('whoami')
  const out = await other.run('logout')
  const again = await other.run('logout')

  expect(known.stdout).toBe(`ada@example.com (admin) at ${holdfast.url}/\n`)
  expect(known.stderr).toContain('This API key may use: files:')
  expect([out.exitCode, again.exitCode]).toEqual([0, 0])
  expect(out.stderr).toContain('The API key remains valid until you delete it')
  expect(again.stderr).toBe('You were not logged in.\n')
  expect((await other.run('whoami')).stderr).toContain('You are not logged in')
})

test('a key in the environment uses the stored address', async () => {
  using other = createPerson()
  await other.pipe(holdfast.key, 'login', holdfast.url)
  const run = async (environment: Record<string, string>) => {
    using same = createPerson({ XDG_CONFIG_HOME: other.environment['XDG_CONFIG_HOME'] ?? '', ...environment })
    return await same.run('ls')
  }

  expect((await run({ HOLDFAST_KEY: holdfast.key })).exitCode).toBe(0)
  expect((await run({ HOLDFAST_KEY: 'hf_wrong' })).stderr).toContain('The API key is invalid')
})

test('an address in the environment never uses the stored key', async () => {
  const requests: string[] = []
  using stranger = Bun.serve({
    port: 0,
    fetch: ({ url }) => {
      requests.push(url)
      return new Response('{}')
    },
  })
  using other = createPerson()
  await other.pipe(holdfast.key, 'login', holdfast.url)
  using same = createPerson({ ...other.environment, HOLDFAST_URL: String(stranger.url) })

  const { exitCode, stderr } = await same.run('ls')

  const message = 'Set HOLDFAST_KEY together with HOLDFAST_URL: the stored key belongs to another address'
  expect([exitCode, stderr]).toEqual([1, `holdfast: ${message}\n`])
  expect(requests).toEqual([])
})

test('contradicting or incomplete arguments end with 2 and send nothing', async () => {
  writeFileSync(local('unsent'), 'x')
  mkdirSync(local('unsent-dir'), { recursive: true })
  for (const words of [
    ...['put unsent --public --private', 'put unsent --private --public', 'put -', 'put unsent -'],
    'sync unsent-dir unsent --private --public',
  ]) {
    const { exitCode, stdout, stderr } = await person.run(...words.split(' '))
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toMatch(/cannot be used with|needs a name/)
  }
  expect(await api.list({ name: 'unsent' })).toEqual([])
})

describe('put', () => {
  test('uploads files and standard input, and prints their addresses', async () => {
    writeFileSync(local('one.txt'), 'one')
    writeFileSync(local('two words.txt'), 'two')

    const urls = await person.lines('put', 'one.txt', 'two words.txt', '--folder', 'put')
    const words = 'put - --name piped.txt --folder put --private'.split(' ')
    const piped = await person.pipe('piped', ...words)

    const at = `${holdfast.url}/api/hosting/put`
    expect(urls).toEqual([`${at}/one.txt`, `${at}/two%20words.txt`])
    expect(piped).toMatchObject({ exitCode: 0, stderr: '' })
    const { files } = await api.browse({ key: 'put', orderBy: 'name', orderDirection: 'ASC' })
    expect(files.map(({ name, visibility }) => [name, visibility])).toEqual([
      ['one.txt', 'public'],
      ['piped.txt', 'private'],
      ['two words.txt', 'public'],
    ])
    expect(await api.hosted('put/two words.txt')).toBe('two')
  })

  test('keeps the exact name of a file', async () => {
    for (const name of ['100%22.txt', '%0D', "it's"]) {
      writeFileSync(local(name), name)
      const [address] = await person.lines('put', name, '--folder', 'exact')
      expect(address).toBe(`${holdfast.url}/api/hosting/exact/${encodeURIComponent(name)}`)
    }
    writeFileSync(local('x\\é'), '')

    const refused = await person.run('put', 'x\\é', '--folder', 'exact')

    expect(refused.exitCode).toBe(1)
    expect(refused.stderr).toContain('must not contain')
    expect((await api.browse({ key: 'exact' })).files).toHaveLength(3)
  })

  test('with --replace replaces the file of that name, and uploads the others', async () => {
    for (const name of ['old', 'new']) writeFileSync(local(name), `${name} bytes`)
    await api.upload('old', 'older bytes', 'replaced')
    const [before] = (await api.browse({ key: 'replaced' })).files

    await person.lines('put', 'old', 'new', '--folder', '/replaced/', '--replace')

    const { files } = await api.browse({ key: 'replaced', orderBy: 'name', orderDirection: 'ASC' })
    expect(files.map(({ name }) => name)).toEqual(['new', 'old'])
    expect(files[1]?.id).toBe(before?.id ?? '')
    expect(await api.hosted('replaced/old')).toBe('old bytes')
    expect(await api.hosted('replaced/new')).toBe('new bytes')
  })

  test('reports refused files, uploads the others, and ends with 1', async () => {
    for (const name of ['taken', 'free']) writeFileSync(local(name), name)
    await api.upload('taken', 'old', 'refused')

    const { exitCode, stdout, stderr } = await person.run('put', 'taken', 'free', '--folder', 'refused')

    expect(exitCode).toBe(1)
    expect(stdout).toBe(`${holdfast.url}/api/hosting/refused/free\n`)
    expect(stderr).toBe('holdfast: taken: A file named "taken" exists in this folder already\n')
    expect(await api.hosted('refused/taken')).toBe('old')
  })

  test.each([
    ['a file that does not exist', ['put', 'none'], 'There is no file "none"'],
    ['a folder', ['put', '.'], '"." is not a file'],
  ])('of %s sends nothing', async (_, words, message) => {
    const { exitCode, stderr } = await person.run(...words)

    expect(exitCode).toBe(1)
    expect(stderr).toContain(message)
  })
})

describe('get', () => {
  test('downloads a file to a target or to standard output, and a folder as an archive', async () => {
    await api.upload('file.txt', 'content', 'get')
    mkdirSync(local('into'), { recursive: true })

    expect(await person.lines('get', 'get/file.txt')).toEqual(['file.txt'])
    expect(await person.lines('get', 'get/file.txt', 'into')).toEqual(['into/file.txt'])
    expect((await person.run('get', 'get/file.txt', '-')).stdout).toBe('content')
    expect(await person.lines('get', 'get')).toEqual(['get.zip'])
    expect(readFileSync(local('into/file.txt'), 'utf8')).toBe('content')
    expect(readFileSync(local('get.zip')).subarray(0, 2).toString()).toBe('PK')
  })

  test('replaces a file only with --force', async () => {
    await api.upload('kept', 'new', 'get')
    writeFileSync(local('kept'), 'old')

    const refused = await person.run('get', 'get/kept')
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' })
    expect(readFileSync(local('kept'), 'utf8')).toBe('old')

    await person.lines('get', 'get/kept', '--force')
    expect(readFileSync(local('kept'), 'utf8')).toBe('new')
  })

  test('continues an interrupted download', async () => {
    const content = 'abcdefghij'.repeat(200_000)
    await api.upload('long', content, 'get')
    await using proxy = await startProxy(holdfast.port)
    using other = createPersonAt(proxy, holdfast)
    proxy.cutAnswerAfter(1_000_000)
    const cut = await other.run('get', 'get/long')
    const [partial = ''] = partials('long', other)
    // Another first byte than the file's: it shows that this was not fetched again.
    const bytes = readFileSync(join(other.folder, partial))
    bytes[0] = 'A'.charCodeAt(0)
    writeFileSync(join(other.folder, partial), bytes)

    await other.lines('get', 'get/long')

    expect(cut.exitCode).toBe(1)
    expect(bytes.length).toBeWithin(1, content.length)
    expect(readFileSync(join(other.folder, 'long'), 'utf8')).toBe(`A${content.slice(1)}`)
    expect(readdirSync(other.folder)).toEqual(['long'])
  })

  test('downloads all of a file that changed since the interruption', async () => {
    const content = 'abcdefghij'.repeat(200_000)
    const { id } = await api.upload('edited', content, 'changing')
    await using proxy = await startProxy(holdfast.port)
    using other = createPersonAt(proxy, holdfast)
    proxy.cutAnswerAfter(1_000_000)
    await other.run('get', 'changing/edited')
    expect(partials('edited', other)).toHaveLength(1)
    await api.sendBody('PUT', `/files/content?id=${id}`, 'ABCDEFGHIJ')

    await other.lines('get', 'changing/edited')

    expect(readFileSync(join(other.folder, 'edited'), 'utf8')).toBe('ABCDEFGHIJ')
    expect(readdirSync(other.folder)).toEqual(['edited'])
  })

  test('reports a broken connection in a line, and continues when run again', async () => {
    const [name, content] = ['n'.repeat(250), 'some bytes '.repeat(200_000)]
    await api.upload(name, content, 'get')
    await using proxy = await startProxy(holdfast.port)
    using other = createPersonAt(proxy, holdfast)

    proxy.cutAnswerAfter(1_000_000)
    const cut = await other.run('get', `get/${name}`)
    const [partial = ''] = readdirSync(other.folder)
    const size = statSync(join(other.folder, partial)).size
    await other.lines('get', `get/${name}`)
    proxy.cutAnswerAfter(1_000_000)
    const printed = await other.run('get', `get/${name}`, '-')

    const message = `holdfast: The connection broke before all of "${name}" had arrived. Run the command again.\n`
    expect(cut).toEqual({ exitCode: 1, stdout: '', stderr: message })
    expect(size).toBeWithin(1, content.length)
    expect(readFileSync(join(other.folder, name), 'utf8')).toBe(content)
    expect(readdirSync(other.folder)).toEqual([name])
    expect(printed).toMatchObject({ exitCode: 1, stderr: message })
  })

  test('never replaces a file that appears meanwhile, or one beside it', async () => {
    await api.upload('late', 'new', 'get')
    using proxy = between((path) => {
      if (path.includes('/download/')) writeFileSync(join(other.folder, 'late'), 'old')
      return undefined
    })
    using other = createPersonAt(proxy, holdfast)
    writeFileSync(join(other.folder, 'get.zip.part'), 'of another program')

    const refused = await other.run('get', 'get/late')
    await other.lines('get', 'get')

    expect(refused).toMatchObject({ exitCode: 1, stdout: '' })
    expect(refused.stderr).toContain('"late" already exists')
    expect(readFileSync(join(other.folder, 'late'), 'utf8')).toBe('old')
    expect(readFileSync(join(other.folder, 'get.zip.part'), 'utf8')).toBe('of another program')
  })

  /** Starts a server that sends these headers with the requested file. */
  const malicious = (id: string, headers: Record<string, string>) =>
    between((path) =>
      path.includes('/download/')
        ? new Response('EVIL', { headers })
        : Response.json({ data: { file: { id, name: '../name', key: '../key', size: 1 } } }),
    )

  test('takes no local name from a server', async () => {
    using server = malicious(UUID, { ETag: '"/../../etag"' })
    using other = createPersonAt(server, { key: 'hf_any' })

    expect(await other.lines('get', 'some/where')).toEqual(['where'])

    expect(readdirSync(other.folder)).toEqual(['where'])
  })

  test('touches no other file with any id and ETag of a server', async () => {
    for (const headers of [{}, { ETag: 'asc' }, { ETag: '"x"' }])
      for (const id of ['gz', 'abc', '../../id', '', UUID]) {
        using server = malicious(id, headers)
        using other = createPersonAt(server, { key: 'hf_any' })
        const place = (name: string) => join(other.folder, name)
        const files = ['a.tar.gz', 'a.tar.gz.asc', `a.tar.${UUID}`, `a.tar.${UUID}.asc`, 'precious']
        for (const name of files) writeFileSync(place(name), 'mine')
        for (const link of ['a.tar.abc', 'a.tar.abc.asc']) symlinkSync('precious', place(link))

        const { exitCode } = await other.run('get', 'a.tar')

        expect(exitCode).toBe(id === UUID ? 0 : 1)
        for (const name of files) expect(readFileSync(place(name), 'utf8')).toBe('mine')
        expect(existsSync(place('a.tar'))).toBe(id === UUID)
      }
  })

  test('follows no link at the path of an unfinished file', async () => {
    const content = 'x'.repeat(2_000_000)
    await api.upload('linked', content, 'get')
    await using proxy = await startProxy(holdfast.port)
    using other = createPersonAt(proxy, holdfast)
    proxy.cutAnswerAfter(1_000_000)
    await other.run('get', 'get/linked')
    const [partial = ''] = partials('linked', other)
    writeFileSync(join(other.folder, 'precious'), 'mine')
    rmSync(join(other.folder, partial))
    symlinkSync('precious', join(other.folder, partial))

    await other.lines('get', 'get/linked')

    expect(readFileSync(join(other.folder, 'precious'), 'utf8')).toBe('mine')
    expect(readFileSync(join(other.folder, 'linked'), 'utf8')).toBe(content)
    expect(readdirSync(other.folder).sort()).toEqual(['linked', 'precious'])
  })

  test('reports a missing key', async () => {
    const { exitCode, stderr } = await person.run('get', 'nowhere/none')

    expect([exitCode, stderr]).toEqual([1, 'holdfast: There is no file or folder "nowhere/none"\n'])
  })
})

describe('with a closed pipe', () => {
  test.each(['get', 'ls'])('%s ends silently', async (command) => {
    const file = { name: 'x'.repeat(250), id: UUID }
    // A large file, and a list without an end.
    using endless = between((path) =>
      path.includes('/download/')
        ? new Response('x'.repeat(5_000_000))
        : Response.json({ data: { file, folders: [], files: Array.from({ length: 200 }, () => file) } }),
    )
    const words = command === 'get' ? ['get', 'x', '-'] : ['ls', 'x']
    const child = Bun.spawn([...programCommand(), ...words], {
      env: { ...person.environment, HOLDFAST_URL: endless.url.href },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const reader = child.stdout.getReader()
    await reader.read()

    await reader.cancel()

    expect(await child.exited).toBe(0)
    expect(await new Response(child.stderr).text()).toBe('')
  })
})

describe('ls, mv, rm and sign', () => {
  test('ls lists folders first, then files, by name, also as JSON', async () => {
    await api.upload('b', 'bb', 'ls')
    await api.upload('a', 'a', 'ls')
    await api.upload('x', 'x', 'ls/deep')

    expect(await person.lines('ls', '/ls/')).toEqual(['deep/', 'a', 'b'])
    expect((await person.lines('ls', 'ls', '--long'))[2]).toMatch(/^public +2 {2}\d{4}-\d\d-\d\d .* {2}b$/)
    const json = (await person.lines('ls', 'ls', '--json')).map((line) => JSON.parse(line).key)
    expect(json).toEqual(['ls/deep', 'ls/a', 'ls/b'])
    expect((await person.run('ls', 'none')).exitCode).toBe(1)
  })

  test('ls of a file lists that file', async () => {
    await api.upload('only', 'x', 'ls-file')

    expect(await person.lines('ls', 'ls-file/only')).toEqual(['only'])
    expect((await person.lines('ls', 'ls-file/only', '--long'))[0]).toMatch(/^public .* {2}only$/)
    expect((await person.run('ls', 'ls-file/none')).stderr).toBe('holdfast: Folder not found\n')
  })

  test('search prints the keys of all matches, also of one folder', async () => {
    for (const folder of ['finds/one', 'finds/two']) await api.upload('needle.txt', 'x', folder)
    await api.createFolder('finds/one/needles')

    const keys = ['finds/one/needle.txt', 'finds/one/needles/', 'finds/two/needle.txt']
    expect((await person.lines('search', 'needle')).sort()).toEqual(keys)
    expect((await person.lines('search', 'needle', '--folder', '/finds/one/')).sort()).toEqual(
      keys.slice(0, 2),
    )
    const json = (await person.lines('search', 'needle.txt', '--json')).map((line) => JSON.parse(line))
    expect(json.map(({ kind, name }) => [kind, name])).toEqual([
      ['file', 'needle.txt'],
      ['file', 'needle.txt'],
    ])
    expect(await person.run('search', 'no such name')).toMatchObject({ exitCode: 0, stdout: '' })
  })

  test('mkdir creates folders with those above them, and reports one that exists', async () => {
    await person.lines('mkdir', 'made/by/hand', '/made/other/')

    expect(await person.lines('ls', 'made')).toEqual(['by/', 'other/'])
    expect((await person.run('mkdir', 'made/by')).exitCode).toBe(1)
  })

  test('cp copies into a folder or under another name, and prints the key of the copy', async () => {
    await api.upload('file', 'x', 'cp/from')
    await api.createFolder('cp/to')

    expect(await person.lines('cp', 'cp/from/file', 'cp/to')).toEqual(['cp/to/file'])
    expect(await person.lines('cp', 'cp/from/file', 'cp/to/')).toEqual(['cp/to/file (2)'])
    expect(await person.lines('cp', 'cp/from/file', 'cp/new/name')).toEqual(['cp/new/name'])
    expect(await person.lines('cp', 'cp/from', 'cp/copied')).toEqual(['cp/copied'])
    const taken = await person.run('cp', 'cp/from/file', 'cp/new/name')

    expect(taken).toMatchObject({ exitCode: 1, stdout: '' })
    expect(await person.lines('ls', 'cp/new')).toEqual(['name'])
    expect(await api.hosted('cp/copied/file')).toBe('x')
  })

  test('publish and private change files and folders, and print the addresses of public files', async () => {
    await api.upload('a', 'a', 'seen')
    await api.upload('b', 'b', 'seen/deep')

    expect(await person.lines('private', 'seen')).toEqual([])
    expect([await api.hosted('seen/a'), await api.hosted('seen/deep/b')]).toEqual([404, 404])
    expect(await person.lines('publish', 'seen/a', 'seen/deep')).toEqual([
      `${holdfast.url}/api/hosting/seen/a`,
    ])
    expect([await api.hosted('seen/a'), await api.hosted('seen/deep/b')]).toEqual(['a', 'b'])
    expect((await person.run('private', 'seen/a', 'seen/none')).exitCode).toBe(1)
    expect(await api.hosted('seen/a')).toBe('a')
  })

  test('mv moves into a folder, renames, and does both', async () => {
    await api.upload('file', 'x', 'mv/from')
    await api.createFolder('mv/to')

    await person.lines('mv', 'mv/from/file', 'mv/to')
    await person.lines('mv', 'mv/to/file', 'mv/new folder/renamed')
    await person.lines('mv', 'mv/new folder', 'mv/to/')
    await person.lines('mv', 'mv/to/new folder', 'mv/last')

    expect(await person.lines('ls', 'mv/last')).toEqual(['renamed'])
    expect(await api.hosted('mv/last/renamed')).toBe('x')
  })

  test('mv leaves a file in its place when it cannot rename', async () => {
    await api.upload('one', '1', 'mv2/from')
    await api.upload('two', '2', 'mv2/to')

    const { exitCode } = await person.run('mv', 'mv2/from/one', 'mv2/to/two')

    expect(exitCode).toBe(1)
    expect(await api.hosted('mv2/from/one')).toBe('1')
    expect(await api.hosted('mv2/to/two')).toBe('2')
  })

  test('rm deletes files, and folders only with --recursive', async () => {
    await api.upload('file', 'x', 'rm')
    await api.upload('other', 'x', 'rm')

    expect((await person.run('rm', 'rm/file', 'rm/none')).exitCode).toBe(1)
    expect(await person.lines('ls', 'rm')).toEqual(['file', 'other'])
    await person.lines('rm', 'rm/file')
    expect((await person.run('rm', 'rm')).stderr).toContain('-r deletes it with everything in it')
    expect(await person.lines('ls', 'rm')).toEqual(['other'])
    await person.lines('rm', '-r', 'rm')
    expect((await person.run('ls', 'rm')).exitCode).toBe(1)
  })

  test('rm moves to the trash, where trash ls shows it and trash restore returns it', async () => {
    await api.upload('file', 'first', 'bin/deep')
    expect((await person.run('rm', 'bin/deep/file')).stderr).toBe('Moved 1 item to the trash\n')
    await api.upload('file', 'second', 'bin/deep')
    await person.lines('rm', 'bin/deep/file')
    await person.lines('rm', '-r', 'bin/deep')

    const listed = (await person.lines('trash', 'ls')).map((line) => line.split('  ')[1])
    expect(listed.filter((key) => key?.startsWith('bin/'))).toEqual([
      'bin/deep/',
      'bin/deep/file',
      'bin/deep/file',
    ])
    expect(await person.run('trash', 'restore', 'bin/deep', 'bin/none')).toMatchObject({
      exitCode: 1,
      stderr: 'holdfast: The trash has no "bin/none"\n',
    })

    expect(await person.lines('trash', 'restore', 'bin/deep/file')).toEqual(['bin/deep/file'])
    expect(await api.hosted('bin/deep/file')).toBe('second')
    const [item] = (await person.lines('trash', 'ls', '--json')).map((line) => JSON.parse(line))
    expect(item.key).toBe('bin/deep')
    expect(await person.lines('trash', 'restore', item.id)).toEqual(['bin/deep (2)'])
  })

  test('rm --permanent leaves nothing in the trash', async () => {
    await api.upload('gone', 'x', 'permanent')
    const before = await person.lines('trash', 'ls')

    const ended = await person.run('rm', '-r', '--permanent', 'permanent/gone', 'permanent')

    expect(ended).toMatchObject({ exitCode: 0, stderr: 'Deleted 2 items permanently\n' })
    expect(await person.lines('trash', 'ls')).toEqual(before)
    expect((await person.run('ls', 'permanent')).exitCode).toBe(1)
  })

  test('rm and sync say that they delete permanently when the trash is off', async () => {
    await using own = await startWithAccount()
    await own.bySession.data('PUT', '/settings', { trashDays: 0 })
    using visitor = createPersonAt(own, own)
    for (const name of ['one', 'two']) await own.api.upload(name, 'x', 'off')
    mkdirSync(join(visitor.folder, 'empty'))

    expect(await visitor.run('rm', 'off/one')).toMatchObject({
      exitCode: 0,
      stderr: 'Deleted 1 item permanently: the trash is off\n',
    })
    expect((await visitor.run('sync', 'empty', 'off', '--delete')).stderr).toContain(
      '1 deleted permanently, 0 the same\n',
    )
    expect(await own.api.data<object>('GET', '/trash')).toMatchObject({ total: 0 })
  })

  test('rm sends one request at a time for any number of files', async () => {
    let [asking, most] = [0, 0]
    using counting = Bun.serve({
      port: 0,
      fetch: async ({ method }) => {
        asking += 1
        most = Math.max(most, asking)
        await rounds()
        asking -= 1
        return Response.json({ data: method === 'GET' ? { file: { id: 'x' } } : { failed: [] } })
      },
    })
    using other = createPersonAt(counting, { key: 'hf_any' })

    await other.lines('rm', ...Array.from({ length: 50 }, (_, n) => `${n}`))

    expect(most).toBe(1)
  })

  test('sign prints a link that opens a private file', async () => {
    await person.pipe('secret', 'put', '-', '--name', 'secret', '--private')

    const [url = ''] = await person.lines('sign', 'secret', '--expires', '1h')

    expect(await (await fetch(url)).text()).toBe('secret')
    expect(await api.hosted('secret')).toBe(404)
    const long = await person.run('sign', 'secret', '--expires', '400d')
    expect(long.stderr).toStartWith('Shortened to the maximum of 7 days\nExpires ')
    const usage = await person.run('sign', 'secret', '--expires', 'soon')
    expect(usage).toMatchObject({ exitCode: 2, stdout: '' })
  })
})
