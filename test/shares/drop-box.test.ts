import { beforeAll, describe, expect, test } from 'bun:test'
import { setAccess, type User } from '../support/accounts.ts'
import { insertFiles } from '../support/file-rows.ts'
import { startInsideWithAccount, withHoldfast } from '../support/fixture.ts'
import { type Holdfast, refusalOf } from '../support/holdfast.ts'
import { openRows } from '../support/rows.ts'
import { cookieOf, createBox, createShare, PASSWORD, shareOf, visitsOf } from './visitors.ts'

let owner: User
const holdfast = withHoldfast()
beforeAll(async () => {
  owner = await holdfast.addUser('editor')
})

const dropBox = (rules?: object) => createBox(owner.api, rules)

const page = async (slug: string, headers: Record<string, string> = {}) =>
  (await holdfast.fetch(`/s/${slug}`, { headers })).text()

type Files = [name: string, content: string][]

function send(
  slug: string,
  files: Files,
  headers: Record<string, string> = {},
  { prefix = '/api/s', to = holdfast }: { prefix?: string; to?: Pick<Holdfast, 'fetch'> } = {},
) {
  const form = new FormData()
  for (const [name, content] of files) form.append('files', new Blob([content]), name)
  return to.fetch(`${prefix}/${slug}/files`, {
    method: 'POST',
    body: form,
    headers,
    redirect: 'manual',
  })
}
const sent = async (response: Response) =>
  ((await response.json()) as { data: { files: { name: string }[] } }).data.files.map(({ name }) => name)
const received = async (key: string) => (await owner.api.browse({ key })).files
const shown = async (slug: string, headers: Record<string, string> = {}) => {
  const response = await holdfast.fetch(`/api/s/${slug}`, { headers })
  return ((await response.json()) as { data: { files: unknown[]; uploads: { name: string }[] } }).data
}

describe('a drop box', () => {
  test('puts files into its folder, private and as its owner’s, with a number after a taken name', async () => {
    const { id, slug, folder } = await dropBox()
    await owner.api.upload('image.jpg', 'mine', folder.key)

    const response = await send(slug, [
      ['image.jpg', 'one'],
      ['image.jpg', 'two'],
      ['../../notes.html', '<script>alert(1)</script>'],
    ])

    expect(await sent(response)).toEqual(['image.jpg', 'image.jpg', 'notes.html'])
    const files = await received(folder.key)
    expect(files.map(({ visibility, name }) => [name, visibility])).toContainEqual(['notes.html', 'private'])
    for (const { key } of files.filter(({ name }) => name !== 'image.jpg'))
      expect(await owner.api.hosted(key)).toBe(404)
    expect(
      (await visitsOf(owner.api, id)).map(({ what, name, bytes }) => [what, name, bytes]),
    ).toContainEqual(['uploaded', 'image (3).jpg', 3])
    expect(await shareOf(owner.api, id)).toMatchObject({ receivedFiles: 3, receivedBytes: 31 })
    const [entry] = holdfast.catalog.activities.newest(owner.id, 1)
    expect(entry).toMatchObject({ type: 'upload.succeeded' })
    expect(entry?.detail).toStartWith(`Received by the share "${slug}"`)
  })

  test('puts files into the root as into any folder', async () => {
    const { folderId } = await owner.api.upload('mine.txt', 'x')
    const { slug } = await dropBox({ folderId })

    expect((await send(slug, [['theirs.txt', 'x']])).status).toBe(200)
    expect((await received('')).map(({ name }) => name)).toContain('theirs.txt')
    expect(await page(slug)).toContain('Choose files, or drop them here')
  })

  test('shows visitors nothing but their own finished uploads', async () => {
    const { slug, folder } = await dropBox()
    const file = await owner.api.upload('secret.txt', 'mine', folder.key)

    const first = await send(slug, [['first.txt', 'one']])
    const second = await send(slug, [['second.txt', 'two']])
    await send(slug, [['third.txt', 'three']], cookieOf(first))

    expect((await shown(slug, cookieOf(first))).uploads.map(({ name }) => name)).toEqual([
      'third.txt',
      'first.txt',
    ])
    expect((await shown(slug, cookieOf(second))).uploads.map(({ name }) => name)).toEqual(['second.txt'])
    expect(await shown(slug)).toMatchObject({ files: [], uploads: [] })
    for (const path of [`/files/${file.id}`, `?folder=${folder.id}`, `/archive?ids=${file.id}`])
      expect((await holdfast.fetch(`/api/s/${slug}${path}`, { headers: cookieOf(first) })).status).toBe(404)
    expect(await refusalOf(await holdfast.fetch(`/api/s/${slug}/archive`))).toEqual([404, 'File not found'])
  })

  test('numbers files of one name beside a thousand others with a few look-ups each', async () => {
    await using inside = await startInsideWithAccount({ isAlone: true })
    const folder = await inside.api.createFolder('box')
    const body = { canRead: false, canWrite: true, folderId: folder.id }
    const share = await createShare(inside.bySession, body)
    const planted = insertFiles(
      {
        id: `'planted' || i`,
        folder_id: `'${folder.id}'`,
        name: `CASE i WHEN 1 THEN 'image.jpg' ELSE 'image (' || i || ').jpg' END`,
      },
      '(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT i FROM n) AS numbers',
    )
    using rows = openRows(inside)
    rows.run(planted)
    const { store } = inside.server.deps
    const { assertPublishable } = store
    let lookups = 0
    store.assertPublishable = (file) => {
      lookups += 1
      return assertPublishable(file)
    }

    const twins = Array.from({ length: 100 }, (_, n): Files[number] => ['image.jpg', `${n}`])
    expect((await send(share.slug, twins, {}, { to: inside })).status).toBe(200)

    expect(inside.catalog.files.byName(folder.id, 'image (1100).jpg')).toBeDefined()
    expect(lookups).toBeLessThan(200)
  })

  test('stores every file of forty forms of one name that arrive at once', async () => {
    const { slug, folder } = await dropBox()
    const twins: Files = [
      ['image.jpg', 'one'],
      ['image.jpg', 'two'],
    ]

    const responses = await Promise.all(Array.from({ length: 40 }, () => send(slug, twins)))

    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await received(folder.key)).toHaveLength(80)
  })

  test('shows visitors the names that they sent, and never one with a number', async () => {
    const { slug, folder } = await dropBox()
    await owner.api.upload('passport.pdf', 'mine', folder.key)

    const response = await send(slug, [['passport.pdf', 'theirs']])

    expect(await sent(response)).toEqual(['passport.pdf'])
    expect((await shown(slug, cookieOf(response))).uploads.map(({ name }) => name)).toEqual(['passport.pdf'])
    expect(await page(slug, cookieOf(response))).not.toContain('(2)')
    expect((await received(folder.key)).map(({ name }) => name)).toContain('passport (2).pdf')
  })

  test('holds its limits of files and bytes when twenty visitors send at once', async () => {
    const few = await dropBox({ maxFiles: 3 })
    const small = await dropBox({ maxBytes: 10 })

    const toFew = Array.from({ length: 20 }, (_, n) => send(few.slug, [[`${n}.txt`, 'x']]))
    const toSmall = Array.from({ length: 20 }, (_, n) => send(small.slug, [[`${n}.txt`, 'four']]))
    const statuses = (await Promise.all([...toFew, ...toSmall])).map(({ status }) => status)

    expect(statuses.slice(0, 20).filter((status) => status === 200)).toHaveLength(3)
    expect(statuses.slice(20).filter((status) => status === 200)).toHaveLength(2)
    // Those that come while others send the last bytes that it takes may try again.
    const others = statuses.filter((status) => status !== 200)
    expect(others.filter((status) => status !== 413 && status !== 503)).toEqual([])
    expect(await received(few.folder.key)).toHaveLength(3)
    expect(await received(small.folder.key)).toHaveLength(2)
    const refused = await refusalOf(await send(small.slug, [['big.txt', 'x'.repeat(2_000_000)]]))
    expect(refused).toEqual([413, 'This drop box has no room for these files'])
  })

  test('refuses more files than one upload may have as too large', async () => {
    const { slug, folder } = await dropBox()
    const many = Array.from({ length: 101 }, (_, n): Files[number] => [`${n}.txt`, 'x'])
    expect((await send(slug, many)).status).toBe(413)
    expect(await received(folder.key)).toEqual([])
  })

  test('takes the types that its rules name', async () => {
    const { slug, folder } = await dropBox({ types: ['image/*', '.PDF'] })

    const sendNamed = (...names: string[]) =>
      send(
        slug,
        names.map((name) => [name, 'x']),
      )
    expect(await sent(await sendNamed('a.PNG', 'b.pdf'))).toEqual(['a.PNG', 'b.pdf'])
    expect(await refusalOf(await sendNamed('a.gif', 'page.html'))).toEqual([
      415,
      'This share only accepts image/*, .pdf, so it refuses "page.html"',
    ])
    expect(await received(folder.key)).toHaveLength(2)
  })

  test('follows its folder, and takes nothing while that is in the trash', async () => {
    const { slug, folder } = await dropBox()
    await owner.api.data('PUT', '/folders', { id: folder.id, name: 'renamed box' })

    await send(slug, [['after.txt', 'x']])
    expect((await received('renamed box')).map(({ name }) => name)).toEqual(['after.txt'])
    await owner.api.data('POST', '/trash', { folderIds: [folder.id] })
    expect((await send(slug, [['lost.txt', 'x']])).status).toBe(503)
    expect((await owner.api.browse()).folders.map(({ name }) => name)).not.toContain('renamed box')
  })

  test('asks for its password, and is closed while its owner may not write', async () => {
    const { slug, folder } = await dropBox({ password: PASSWORD })
    expect(await refusalOf(await send(slug, [['a.txt', 'x']]))).toEqual([401, 'This share has a password'])
    const open = await dropBox()
    setAccess(holdfast, owner.id, { role: 'viewer' })
    const status = (await send(open.slug, [['a.txt', 'x']])).status
    setAccess(holdfast, owner.id, { role: 'editor' })

    expect(status).toBe(404)
    expect(await received(folder.key)).toEqual([])
    expect(await received(open.folder.key)).toEqual([])
  })

  test('is refused without a folder, for another scope, and in a share that only shows files', async () => {
    const refused = (body: object) => owner.api.refusal('POST', '/shares', body)
    expect(await refused({ canRead: false, canWrite: true })).toEqual([
      400,
      '"folderId" is required with "canWrite": it names the folder for received files',
    ])
    expect(await refused({ canRead: false })).toEqual([400, '"canRead" or "canWrite" must be true'])
    const told = await refused({ canRead: false, canWrite: true, folderId: 'x' })
    expect(told).toEqual([404, 'Folder not found'])
    const viewer = await holdfast.addUser('viewer')
    const folder = await owner.api.createFolder('not for viewers')
    const body = { canRead: false, canWrite: true, folderId: folder.id }
    const answer = await viewer.api.refusal('POST', '/shares', body)
    expect(answer).toEqual([403, 'Missing required scope "files:write"'])
    const file = await owner.api.upload('shown.txt', 'x')
    const share = await createShare(owner.api, { items: [{ fileId: file.id }] })
    expect(await refusalOf(await send(share.slug, [['a.txt', 'x']]))).toEqual([
      403,
      "This share doesn't accept files",
    ])
  })

  test('states its rules on its page, in previews too, and has no form when it is full', async () => {
    const rules = { maxFiles: 2, maxBytes: 2 * 1024 ** 2, types: ['image/*', '.pdf'] }
    const { slug } = await dropBox(rules)
    const before = await page(slug)
    expect(before).toContain('Send up to 2 more files, 2 MiB in total. Each file can be up to 2 MiB.')
    expect(before).toContain('Accepted types: image/*, .pdf')
    expect(before).toContain('<h1>Send files to A editor</h1>')
    const named = await page((await dropBox({ title: 'Papers' })).slug)
    expect(named).toContain('<h1>Papers</h1>\n<p class="quiet">Send files to A editor</p>')
    expect(before).toContain('content="A form to send files"')

    for (const name of ['a.png', 'b.png']) await send(slug, [[name, 'x']])
    const full = await page(slug)
    expect(full).toContain('This link has received all the files it can take.')
    expect(full).not.toContain('<form')
  })

  test('has no form while its folder is in the trash, or its owner may not write', async () => {
    const [trashed, denied] = [await dropBox(), await dropBox()]
    const named = async () => (await shareOf(owner.api, trashed.id))?.folderName
    expect(trashed.folderName).toBe(trashed.folder.name)
    expect(await named()).toBe(trashed.folder.name)
    await owner.api.data('POST', '/trash', { folderIds: [trashed.folder.id] })
    expect(await named()).toBeNull()
    setAccess(holdfast, owner.id, { role: 'viewer' })
    const pages = [await page(denied.slug)]
    setAccess(holdfast, owner.id, { role: 'editor' })
    pages.push(await page(trashed.slug))

    for (const shown of pages) {
      expect(shown).toContain('This link is not accepting files right now.')
      expect(shown).not.toContain('<form')
    }
  })

  test('has a plain form on its page, which leads back and says what has arrived', async () => {
    const { slug } = await dropBox({ title: 'Send us photos', types: ['image/*'] })
    const before = await page(slug)
    expect(before).toContain(`<form method="post" action="/s/${slug}/files" enctype="multipart/form-data"`)
    expect(before).toContain('accept="image/*"')

    const response = await send(slug, [['<b>.png', 'x']], {}, { prefix: '/s' })
    expect([response.status, response.headers.get('location')]).toEqual([303, `/s/${slug}`])
    const after = await page(slug, cookieOf(response))
    expect(after).toContain('A editor has your file')
    expect(after).toContain('&lt;b&gt;.png')
    const refused = await send(slug, [['notes.txt', 'x']], {}, { prefix: '/s' })
    expect([refused.status, await refused.text()]).toEqual([
      415,
      expect.stringContaining('The files were not sent'),
    ])
  })
})
