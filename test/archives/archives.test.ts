import { describe, expect, test } from 'bun:test'
import { zipSync } from 'fflate'
import { rounds } from '../support/eventually.ts'
import { startWithAccount, withHoldfast } from '../support/fixture.ts'
import { type FileView, messageOf, refusalOf } from '../support/holdfast.ts'
import { parseAnswer, sendRaw } from '../support/socket.ts'
import { storedIn } from '../support/stored.ts'
import { archivesOf, contentsOf, pathsOf } from './archive.ts'

const holdfast = withHoldfast({ environment: { MAX_DOWNLOAD_BATCH: '5' } })
const { api } = holdfast

const { zipOf, folderZip, newFiles } = archivesOf(api)

describe('POST /api/files/download', () => {
  test.each<[string[], string, string[]]>([
    [['one/a.txt'], 'one.zip', ['a.txt']],
    [['two/a.txt', 'two/b.txt'], 'two.zip', ['a.txt', 'b.txt']],
    [['three/x/a.txt', 'three/x/y/b.txt'], 'x.zip', ['a.txt', 'y/b.txt']],
    [['four/x/a.txt', 'four/xy/b.txt'], 'four.zip', ['x/a.txt', 'xy/b.txt']],
    [['five/a.txt', 'six/b.txt'], 'files.zip', ['five/a.txt', 'six/b.txt']],
    [['root.txt', 'seven/b.txt'], 'files.zip', ['root.txt', 'seven/b.txt']],
    [['högt/日本/a.txt', 'högt/日本/🎉.txt'], '__.zip', ['a.txt', '🎉.txt']],
  ])('of %j is %s with paths below the deepest shared folder', async (keys, name, paths) => {
    const files = await newFiles(keys)

    const response = await zipOf(files.map(({ id }) => id))

    expect(response.headers.get('content-disposition')).toContain(`attachment; filename="${name}"`)
    expect(await contentsOf(response)).toEqual(paths.map((path, n) => [path, `content of ${keys[n]}`]))
  })

  test('takes form fields as well, collapses duplicates, and includes private files', async () => {
    const [open, secret] = await newFiles(['form/open.txt', 'form/secret.txt'])
    await api.data('PUT', '/files', { id: secret?.id, visibility: 'private' })
    const body = new URLSearchParams([
      ['ids', open?.id ?? ''],
      ['ids', secret?.id ?? ''],
      ['ids', open?.id ?? ''],
    ])

    const response = await api.sendBody('POST', '/files/download', body)

    expect(await pathsOf(response)).toEqual(['open.txt', 'secret.txt'])
  })

  test('is an archive that is not cached, not resumed, and has its exact length on the wire', async () => {
    const [file] = await newFiles(['wire/a.txt'])
    const body = JSON.stringify({ ids: [file?.id] })
    const request = [
      'POST /api/files/download HTTP/1.1',
      'Host: x.example',
      'Range: bytes=0-4',
      'Connection: close',
    ]
    const headers = [`API-Key: ${holdfast.key}`, `Content-Length: ${body.length}`, '', body]

    const answer = parseAnswer(await sendRaw(holdfast.port, [...request, ...headers].join('\r\n')))

    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-length')).toBe(String(answer.body.length))
    expect(answer.headers.get('content-type')).toBe('application/zip')
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    expect(answer.headers.has('transfer-encoding')).toBe(false)
    expect(answer.headers.has('accept-ranges')).toBe(false)
  })

  test('has no ranges by any of its paths', async () => {
    const [file] = await newFiles(['paths/a.txt'])
    for (const path of ['/api/files/download', '/api/files/download/', '/api/files/download/?x=1']) {
      const body = JSON.stringify({ ids: [file?.id] })
      const response = await holdfast.fetch(path, { method: 'POST', headers: holdfast.withKey, body })
      await response.arrayBuffer()

      expect([path, response.status, response.headers.get('accept-ranges')]).toEqual([path, 200, null])
    }
  })

  test.each(['', ' \r\n\t'])('accepts JSON that is declared as a form, after %j', async (space) => {
    const [file] = await newFiles([`called${space.length}/a.txt`])
    const headers = { ...holdfast.withKey, 'Content-Type': 'application/x-www-form-urlencoded' }
    const ask = (body: string) => holdfast.fetch('/api/files/download', { method: 'POST', headers, body })

    const response = await ask(`${space}${JSON.stringify({ ids: [file?.id] })}`)
    const broken = await ask(`${space}{"ids":`)

    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zip'])
    expect([broken.status, await messageOf(broken)]).toEqual([
      400,
      'The body must be JSON or a form in UTF-8',
    ])
  })

  test.each<[string, unknown, number]>([
    ['no ids', {}, 400],
    ['an empty list', { ids: [] }, 400],
    ['more ids than allowed', { ids: ['1', '2', '3', '4', '5', '6'] }, 400],
    ['text for a list', { ids: 'x' }, 400],
    ['an unknown id', { ids: ['nope'] }, 404],
  ])('refuses %s', async (_, body, status) => {
    expect((await api.refusal('POST', '/files/download', body))[0]).toBe(status)
  })

  test('refuses a form of more fields than there could be ids, and finds them among others', async () => {
    const [file] = await newFiles(['odd/form'])
    const send = (fields: number) => {
      const others = Array.from({ length: fields - 1 }, (_, n) => `f${n}=1`)
      const headers = { ...holdfast.withKey, 'Content-Type': 'application/x-www-form-urlencoded' }
      const body = [`ids=${file?.id}`, ...others].join('&')
      return holdfast.fetch('/api/files/download', { method: 'POST', headers, body })
    }

    expect(await messageOf(await send(25_001))).toBe('A form must have at most 25000 fields')
    expect(await pathsOf(await send(1000))).toEqual(['form'])
  })

  test('refuses a form without ids', async () => {
    expect(
      await refusalOf(await api.sendBody('POST', '/files/download', new URLSearchParams({ id: 'x' }))),
    ).toEqual([400, '"ids" is required'])
  })

  test('refuses all when one is unknown or has lost its bytes', async () => {
    const [kept, lost] = await newFiles(['lost/kept.txt', 'lost/lost.txt'])
    const ids = [kept?.id ?? '', lost?.id ?? '']

    expect((await api.refusal('POST', '/files/download', { ids: [...ids, 'nope'] }))[0]).toBe(404)
    await storedIn(holdfast).lose({ key: 'lost/lost.txt' })
    expect((await api.refusal('POST', '/files/download', { ids }))[0]).toBe(404)
  })
})

describe('GET /api/folders/download', () => {
  test('is the folder with everything below it: itself, its files by name, its folders by name', async () => {
    await newFiles(['pack/b.txt', 'pack/a.txt', 'pack/z/deep/f.txt', 'pack/m/x.txt'])
    await api.createFolder('pack/empty')

    const response = await folderZip('?key=pack')

    expect(response.headers.get('content-disposition')).toContain('filename="pack.zip"')
    expect(await contentsOf(response)).toEqual([
      ['pack/', null],
      ['pack/a.txt', 'content of pack/a.txt'],
      ['pack/b.txt', 'content of pack/b.txt'],
      ['pack/empty/', null],
      ['pack/m/', null],
      ['pack/m/x.txt', 'content of pack/m/x.txt'],
      ['pack/z/', null],
      ['pack/z/deep/', null],
      ['pack/z/deep/f.txt', 'content of pack/z/deep/f.txt'],
    ])
  })

  test('takes an id, leaves out missing bytes, includes private files, and is the same every time', async () => {
    const [, secret] = await newFiles(['again/gone.txt', 'again/secret.txt', 'again/sub/c.txt'])
    await api.data('PUT', '/files', { id: secret?.id, visibility: 'private' })
    await storedIn(holdfast).lose({ key: 'again/gone.txt' })
    const { folders } = await api.browse()
    const { id } = folders.find(({ name }) => name === 'again') ?? { id: '' }

    const [first, second] = [await folderZip(`?id=${id}`), await folderZip(`?id=${id}`)]

    const bytes = Buffer.from(await first.clone().arrayBuffer())
    expect(bytes.equals(Buffer.from(await second.arrayBuffer()))).toBe(true)
    expect(await pathsOf(first)).toEqual(['again/', 'again/secret.txt', 'again/sub/', 'again/sub/c.txt'])
  })

  test('takes a path for a key, as browsing does, and so do checksums', async () => {
    await newFiles(['named/inside'])

    const byPath = await pathsOf(await folderZip('?path=named'))
    const sums = await api.data<{ files: FileView[] }>('GET', '/folders/checksums?path=named')

    expect(byPath).toEqual(['named/', 'named/inside'])
    expect(sums.files.map(({ key }) => key)).toEqual(['named/inside'])
  })

  test('of the root is files.zip, also when it is empty', async () => {
    await using empty = await startWithAccount()

    const response = await empty.api.send('GET', '/folders/download')

    expect(response.headers.get('content-disposition')).toContain('filename="files.zip"')
    expect(await contentsOf(response)).toEqual([['files/', null]])
    await empty.api.upload('a.txt', 'A', 'x')
    expect(await contentsOf(await empty.api.send('GET', '/folders/download'))).toEqual([
      ['files/', null],
      ['files/x/', null],
      ['files/x/a.txt', 'A'],
    ])
  })

  test('gets 404 for a folder that does not exist', async () => {
    expect(await api.refusal('GET', '/folders/download?key=nope')).toEqual([404, 'Folder not found'])
    expect(await api.refusal('GET', '/folders/download?id=nope')).toEqual([404, 'Folder not found'])
  })

  test('gets the length and no body by HEAD', async () => {
    await newFiles(['headed/a.txt'])
    const [get, head] = [
      await folderZip('?key=headed'),
      await api.send('HEAD', '/folders/download?key=headed'),
    ]

    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'))
    expect(await head.text()).toBe('')
  })

  test('follows a folder that is renamed while it is sent', async () => {
    const content = 'x'.repeat(900_000)
    for (let n = 0; n < 12; n += 1) await api.upload(`f${n}`, content, 'moving')
    const { folders } = await api.browse()
    const { id } = folders.find(({ name }) => name === 'moving') ?? { id: '' }

    const response = await folderZip('?key=moving')
    await api.data('PUT', '/folders', { id, name: 'moved' })

    const contents = await contentsOf(response)
    expect(contents).toHaveLength(13)
    const isWhole = ([path, text]: [string, string | null]) => path.startsWith('moving/') && text === content
    expect(contents.slice(1).every(isWhole)).toBe(true)
  })

  test('ends early when the bytes of an unedited file do not match its checksum', async () => {
    const content = 'x'.repeat(3_000_000)
    await api.upload('a', content, 'damaged')
    await storedIn(holdfast).damage({ key: 'damaged/a' }, `y${content.slice(1)}`)

    expect(folderZip('?key=damaged').then((response) => response.arrayBuffer())).rejects.toThrow()
  })

  test('has every file, also those that are renamed before it is sent', async () => {
    const names = Array.from({ length: 3000 }, (_, n) => `${String(n).padStart(4, '0')}.txt`)
    const site = zipSync(Object.fromEntries(names.map((name) => [name, Buffer.from(name)])))
    await api.sendBody('POST', '/folders/import?folder=crowd', site)
    const files = (await api.browse({ key: 'crowd', orderBy: 'name', orderDirection: 'desc', limit: 60 }))
      .files
    for (let round = 0; round < 4; round += 1) {
      const archive = folderZip('?key=crowd').then(contentsOf)
      const renames = files.map(({ id }, n) => api.data('PUT', '/files', { id, name: `z${round}-${n}` }))

      const contents = (await archive).flatMap(([, content]) => content ?? [])
      await Promise.all(renames)

      expect(contents.sort()).toEqual(names)
    }
  })

  test('never has the bytes of a replacement beside a name from before it', async () => {
    // Planning takes longer than both changes, which come sooner or later in it.
    const names = Array.from({ length: 3000 }, (_, n) => `m${n}`)
    const site = zipSync(Object.fromEntries([...names, 'a', 'z'].map((name) => [name, Buffer.from(name)])))
    await api.sendBody('POST', '/folders/import?folder=moment', site)
    const idOf = async (name: string) =>
      (await api.data<{ file: FileView }>('GET', `/files?key=moment/${name}`)).file.id
    const [first, last] = [await idOf('a'), await idOf('z')]
    for (let round = 1; round <= 8; round += 1) {
      const archive = folderZip('?key=moment').then(contentsOf)
      await rounds(round)
      await api.data('PUT', '/files', { id: first, name: `a${round}` })
      await api.replace(last, `content of round ${round}`)

      const contents = new Map(await archive)
      const isBefore = !contents.has(`moment/a${round}`)
      expect(isBefore && contents.get('moment/z') === `content of round ${round}`).toBe(false)
    }
  })

  test('omits a file that is deleted before the first byte', async () => {
    // The archive has more time each round: it is planned before the delete, meanwhile or after it.
    for (let round = 0; round < 60; round += 1) {
      const [gone, kept] = await newFiles([`brief${round}/gone`, `brief${round}/kept`])
      const archive = folderZip(`?key=brief${round}`)
      await rounds(round)
      await api.data('DELETE', '/files', { id: gone?.id })

      expect((await contentsOf(await archive)).at(-1)).toEqual([kept?.key ?? '', `content of ${kept?.key}`])
    }
  })

  test('releases the tree when its client disconnects', async () => {
    for (let n = 0; n < 12; n += 1) await api.upload(`f${n}`, 'x'.repeat(900_000), 'left')
    const response = await folderZip('?key=left')
    await response.body?.cancel()

    expect((await folderZip('?key=left')).status).toBe(200)
  })
})
