import { afterAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { wordsIn } from '../../src/api/pages/texts.ts'
import { LANGUAGE_TAGS } from '../../src/platform/languages.ts'
import { makePng } from '../browser/png.ts'
import { startWithAccount, withHoldfast } from '../support/fixture.ts'
import { type FileView, messageOf } from '../support/holdfast.ts'
import { createShare, PASSWORD } from './visitors.ts'

const HTML = { Accept: 'text/html,application/xhtml+xml' }

const holdfast = withHoldfast({ environment: { MAX_FILES_PER_REQUEST: '300' } })
const { api } = holdfast

const share = (items: object[], rules: object = {}) => createShare(api, { items, ...rules })
/** Returns a folder of the root by its name. */
const folderNamed = async (name: string) => (await api.browse()).folders.find((one) => one.name === name)
/** Uploads files of these names in one request, and returns their ids. */
async function uploadAll(names: string[], folder: string): Promise<string[]> {
  const files = Object.fromEntries(names.map((name) => [name, `${folder} ${name}`]))
  const { data } = (await (await holdfast.sendUpload(files, { folder })).json()) as {
    data: { files: FileView[] }
  }
  return data.files.map(({ id }) => id)
}
const get = (path: string, headers: Record<string, string> = {}) =>
  holdfast.fetch(path, { headers: { ...HTML, ...headers }, redirect: 'manual' })
const text = async (path: string, headers: Record<string, string> = {}) => (await get(path, headers)).text()
const send = (path: string, password: string) =>
  holdfast.fetch(path, {
    method: 'POST',
    headers: { ...HTML, 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ password }),
    redirect: 'manual',
  })
const linksOf = (page: string) =>
  [...page.matchAll(/\shref="([^"]*)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&'))

describe('the page of a share', () => {
  test('is HTML without script, under a policy that knows its style and pictures alone', async () => {
    const file = await api.upload('<b>"a" & b.txt', 'bytes')
    const { url } = await share([{ fileId: file.id }], { title: '<script>alert(1)</script>', note: '<i>' })

    const response = await get(`/${url}`)
    const page = await response.text()

    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? []
    const hash = createHash('sha256').update(style).digest('base64')
    expect(response.headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; img-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    )
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(page).not.toMatch(/<script|<b>|<i>|\sstyle=|\son\w+=/)
    expect(page).toContain('&lt;b&gt;&quot;a&quot; &amp; b.txt')
    expect(page).toContain('>Download (5 B)<')
    expect(page.length).toBeLessThan(12_000)
    expect((await holdfast.fetch(`/${url}`)).status).toBe(200)
  })

  test('leads to its files, folders and an archive of all by plain links', async () => {
    const file = await api.upload('inner.txt', 'bytes', 'page/deep')
    const lone = await api.upload('lone.txt', 'bytes', 'page-lone')
    const folder = (await api.browse({ key: 'page' })).folders[0]
    const parent = await folderNamed('page')
    const { slug } = await share([{ folderId: parent?.id }, { fileId: lone.id }])

    const top = await text(`/s/${slug}`)
    expect(linksOf(top)).toEqual([
      `/api/s/${slug}/archive`,
      `/s/${slug}?folder=${parent?.id}`,
      `/api/s/${slug}/files/${lone.id}`,
      `/api/s/${slug}/files/${lone.id}?download=1`,
    ])
    const outer = await text(`/s/${slug}?folder=${parent?.id}`)
    expect(linksOf(outer)).toEqual([
      `/s/${slug}`,
      `/api/s/${slug}/archive?ids=${parent?.id}`,
      `/s/${slug}?folder=${folder?.id}`,
    ])
    const inner = await text(`/s/${slug}?folder=${folder?.id}`)
    expect(linksOf(inner)[0]).toBe(`/s/${slug}?folder=${parent?.id}`)
    // It ignores ranges (RFC 9110 §14.3).
    expect((await get(`/api/s/${slug}/archive`)).headers.get('accept-ranges')).toBeNull()
    for (const link of linksOf(inner)) expect([link, (await get(link)).status]).toEqual([link, 200])
    expect(inner).toContain(`/api/s/${slug}/files/${file.id}`)
  })

  test('stays below 60 KiB for a long folder, and leads to the rest', async () => {
    const names = Array.from({ length: 250 }, (_, n) => `${'long name '.repeat(4)}${1000 + n}.txt`)
    await uploadAll(names, 'long')
    const folder = await folderNamed('long')
    const { slug } = await share([{ folderId: folder?.id }])

    let found = 0
    for (let link: string | undefined = `/s/${slug}?folder=${folder?.id}`; link; ) {
      const page = await text(link)
      expect(page.length).toBeLessThan(60 * 1024)
      found += page.split('<li>').length - 1
      link = linksOf(page).find((one) => one.includes('&after='))
    }
    expect(found).toBe(250)
  })

  test('stays below 60 KiB for 200 items with the longest names, a note and a title, and shows each once', async () => {
    const name = (n: number) => `${'&"'.repeat(124)}${n}.jpg`
    const ids: string[] = []
    for (const folder of ['twins 0', 'twins 1', 'twins 2', 'twins 3'])
      ids.push(
        ...(await uploadAll(
          Array.from({ length: 50 }, (_, n) => name(n)),
          folder,
        )),
      )
    const { slug } = await share(
      ids.map((fileId) => ({ fileId })),
      { title: '"'.repeat(255), note: '"'.repeat(2000) },
    )

    const found: string[] = []
    for (let link: string | undefined = `/s/${slug}`; link; ) {
      const page = await text(link)
      expect(Buffer.byteLength(page)).toBeLessThanOrEqual(60 * 1024)
      const links = linksOf(page)
      found.push(
        ...links.filter((one) => one.endsWith('?download=1')).map((one) => one.split(/[/?]/)[5] ?? ''),
      )
      link = links.find((one) => one.includes('?after='))
    }
    expect(found.toSorted()).toEqual(ids.toSorted())
  })

  test('is a gallery when most of it is pictures, and a list when it is not', async () => {
    const store = (names: string[]) => Promise.all(names.map((name) => api.upload(name, name, 'shore')))
    const pictures = await store(['a.jpg', 'b.png', 'c.webp'])
    const notes = await store(['d.txt', 'e.txt', 'f.txt'])
    const [first = { id: '' }] = pictures
    const listOf = async (files: { id: string }[]) => {
      const { slug } = await share(files.map(({ id }) => ({ fileId: id })))
      return { slug, page: await text(`/s/${slug}`) }
    }

    const gallery = await listOf([...pictures, ...notes.slice(0, 2)])
    const [, tiles = ''] = /<ul class="tiles">([\s\S]*?)<\/ul>/.exec(gallery.page) ?? []
    expect(tiles.split('<li>').length - 1).toBe(3)
    expect(tiles).toContain(
      `<img src="/api/s/${gallery.slug}/thumbs/${first.id}?width=400" alt="" data-type="JPG" width="200" height="200" loading="lazy">`,
    )
    const list = await listOf([...pictures, ...notes])
    expect(list.page).not.toContain('class="tiles"')
    expect(list.page).toContain(`/thumbs/${first.id}?width=200`)
  })

  test('shows a picture large, and leads to those before and after it', async () => {
    for (const name of ['1.jpg', '2.jpg', '3.txt', '4.jpg']) await api.upload(name, name, 'walk')
    const { files } = await api.browse({ key: 'walk' })
    const folder = await folderNamed('walk')
    const outside = await api.upload('outside.jpg', 'bytes')
    const idOf = (name: string) => files.find((file) => file.name === name)?.id ?? ''
    const { slug } = await share([{ folderId: folder?.id }])
    const items = await share(files.map(({ id }) => ({ fileId: id })))
    const pages = [`/s/${slug}?folder=${folder?.id}&file=`, `/s/${items.slug}?file=`]

    for (const path of pages) {
      const [first, middle, last] = await Promise.all(
        ['1.jpg', '2.jpg', '4.jpg'].map((name) => text(path + idOf(name))),
      )
      expect(middle).toContain(`/thumbs/${idOf('2.jpg')}?width=1600" alt="2.jpg"`)
      const strip = ['1.jpg', '2.jpg', '4.jpg'].map((name) => path + idOf(name))
      const [one = '', two = '', three = ''] = strip
      expect(linksOf(middle ?? '').slice(2)).toEqual([one, three, ...strip])
      expect(linksOf(first ?? '').slice(2)).toEqual([two, ...strip])
      expect(linksOf(last ?? '').slice(2)).toEqual([two, ...strip])
      expect(middle).toContain(`${idOf('2.jpg')}" aria-current="page"`)
      for (const id of [idOf('3.txt'), outside.id, 'none']) expect((await get(path + id)).status).toBe(404)
    }
  })

  test('opens the only folder of a share at once, with what the share says', async () => {
    await api.upload('rest.pdf', 'bytes', 'only')
    for (const name of ['x.jpg', 'y.jpg', 'z.jpg']) await api.upload(name, name, 'only')
    const inner = await api.upload('deep.txt', 'bytes', 'only/inner')
    const folder = await folderNamed('only')
    const rules = { title: 'Our walk', note: 'In June', canWrite: true, folderId: folder?.id }
    const { slug } = await share([{ folderId: folder?.id }], rules)

    const top = await text(`/s/${slug}`)
    expect(top).toBe(await text(`/s/${slug}?folder=${folder?.id}`))
    expect(top).toContain('<h1>Our walk</h1>\n<p class="quiet">Ada shared 5 files, 25 B</p>')
    expect(top).toContain('<p class="note">In June</p>\n<form ')
    expect(top).not.toContain('>Back</a>')
    // Folders, pictures, other files.
    const places = [inner.folderId, 'class="tiles"', 'rest.pdf'].map((part) => top.indexOf(part))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(linksOf(await text(`/s/${slug}?folder=${inner.folderId}`))[0]).toBe(
      `/s/${slug}?folder=${folder?.id}`,
    )
  })

  test('shows hidden characters of a name as marks', async () => {
    const file = await api.upload('a\u202egpj.exe', 'bytes', 'b\u202egnp')
    await api.upload('other.txt', 'bytes', 'b\u202egnp')
    const { slug } = await share([{ fileId: file.id }, { folderId: file.folderId }])
    for (const path of [`/s/${slug}`, `/s/${slug}?folder=${file.folderId}`]) {
      const page = await text(path)
      expect(page).toContain('>a[U+202E]gpj.exe</a>')
      expect(page).toContain('b[U+202E]gnp')
      expect(page).not.toContain('\u202e')
    }
  })

  test('of one file has its name as title, and a button that downloads it', async () => {
    const file = await api.upload('letter.txt', 'bytes')
    const { slug } = await share([{ fileId: file.id }])
    const titled = await share([{ fileId: file.id }], { title: 'For you' })
    const locked = await share([{ fileId: file.id }], { password: PASSWORD })

    const page = await text(`/s/${slug}`)
    expect(page).toContain('<h1>letter.txt</h1>\n<p class="quiet">Shared by Ada</p>')
    expect(await text(`/s/${titled.slug}`)).toContain('<p class="quiet">Ada shared letter.txt</p>')
    expect(page).toContain(`href="/api/s/${slug}/files/${file.id}?download=1">Download (5 B)</a>`)
    expect(page).not.toContain('ZIP')
    expect(await text(`/s/${locked.slug}`)).not.toMatch(/letter\.txt|Ada/)
  })

  test.each([
    ['a.jpg', 'thumbs/ID?width=1600" alt="a.jpg"', undefined],
    ['a.svg', '<img src="/api/s/SLUG/files/ID" alt="a.svg"', undefined],
    ['a.mp4', '<video src="/api/s/SLUG/files/ID" controls', "media-src 'self'"],
    ['a.mp3', '<audio src="/api/s/SLUG/files/ID" controls', "media-src 'self'"],
    [
      'a.pdf',
      '<object data="/api/s/SLUG/files/ID" type="application/pdf"',
      "object-src 'self'; frame-src 'self'",
    ],
    ['a.ts', '>\nconst a = 1 &lt; 2</pre>', undefined],
    ['Makefile', '>\nconst a = 1 &lt; 2</pre>', undefined],
  ])('shows its only file at once: %s', async (name, shown, policy) => {
    const { id } = await api.upload(name, 'const a = 1 < 2', 'shown')
    const { slug } = await share([{ fileId: id }])
    const response = await get(`/s/${slug}`)
    expect(await response.text()).toContain(shown.replace('ID', id).replace('SLUG', slug))
    const added = response.headers.get('content-security-policy')?.split("frame-ancestors 'none'")[1]
    expect(added).toBe(policy === undefined ? '' : `; ${policy}`)
  })

  test('shows the beginning of a long text in whole characters, within 60 KiB', async () => {
    const pageOf = async (name: string, content: string) => {
      const { id } = await api.upload(name, content, 'texts')
      return text(`/s/${(await share([{ fileId: id }])).slug}`)
    }
    for (const content of [`a${'ü'.repeat(100_000)}`, '<&>'.repeat(50_000)]) {
      const page = await pageOf(`${content.length}.txt`, content)
      expect(Buffer.byteLength(page)).toBeLessThanOrEqual(60 * 1024)
      expect(page).toContain('Only the beginning is shown.')
      expect(page).not.toContain('\ufffd')
    }
    for (const [name, content] of [
      ['bytes.txt', 'a\0b'],
      ['empty.txt', ''],
    ] as const)
      expect(await pageOf(name, content)).toContain('This file opens after you download it.')
  })

  test('shows no bytes of a file whose downloads are counted, and lets a PDF be framed by its own page', async () => {
    for (const name of ['counted.txt', 'counted.pdf', 'counted.svg']) {
      const { id } = await api.upload(name, 'secret bytes')
      const { slug } = await share([{ fileId: id }], { maxDownloads: 1 })
      const page = await text(`/s/${slug}`)
      expect(page).toContain('It counts as a download, so it is not shown here.')
      expect(page).not.toMatch(/secret|<object|<img/)
    }
    const { id } = await api.upload('framed.pdf', 'bytes')
    const { slug } = await share([{ fileId: id }])
    expect((await get(`/api/s/${slug}/files/${id}`)).headers.get('content-security-policy')).toBe(
      "sandbox; frame-ancestors 'self'",
    )
  })

  test('says how many files a share and a folder in it have, and how large they are', async () => {
    await api.upload('one.txt', '1', 'counted/deep')
    const other = await api.upload('two.txt', '22')
    await api.upload('three.txt', '333', 'counted')
    const folder = await folderNamed('counted')
    const { slug } = await share([{ folderId: folder?.id }, { fileId: other.id }])

    expect(await text(`/s/${slug}`)).toContain('Ada shared 3 files, 6 B')
    expect(await text(`/s/${slug}?folder=${folder?.id}`)).toContain('<p class="quiet">2 files, 4 B</p>')
    expect(await text(`/s/${slug}?folder=${folder?.id}&after=three.txt`)).not.toContain('files, ')
  })

  test('has a title and a description for chats, unless there is a password', async () => {
    const items = [{ fileId: (await api.upload('chat.txt', 'bytes')).id }]
    const open = await share(items, { title: 'Holiday', note: 'In June' })
    const closed = await share(items, { title: 'Secret', note: 'Hidden note', password: PASSWORD })

    const page = await text(`/${open.url}`)
    expect(page).toContain('<meta property="og:title" content="Holiday">')
    expect(page).toContain('<meta property="og:description" content="In June">')
    const locked = await text(`/${closed.url}`)
    expect(locked).not.toMatch(/og:|Hidden|chat\.txt/)
    expect(locked).toContain('<form method="post"')
  })

  test('opens by the password of its form, without script', async () => {
    const file = await api.upload('behind.txt', 'bytes')
    const { slug } = await share([{ fileId: file.id }], { password: PASSWORD })

    const wrong = await send(`/s/${slug}`, 'wrong')
    expect([wrong.status, await wrong.text()]).toEqual([
      401,
      expect.stringContaining('The password is wrong.'),
    ])
    const right = await send(`/s/${slug}`, PASSWORD)
    expect([right.status, right.headers.get('location')]).toEqual([303, `/s/${slug}`])
    const cookies = right.headers.getSetCookie()
    expect(cookies.map((cookie) => /Path=[^;]+/.exec(cookie)?.[0])).toEqual([
      `Path=/api/s/${slug}`,
      `Path=/s/${slug}`,
    ])
    const Cookie = cookies[0]?.split(';')[0] ?? ''
    expect(await text(`/s/${slug}`, { Cookie })).toContain('behind.txt')
    expect(await text(`/api/s/${slug}/files/${file.id}`, { Cookie })).toBe('bytes')
    for (let n = 0; n < 10; n++) await send(`/s/${slug}`, 'wrong')
    const limited = await send(`/s/${slug}`, PASSWORD)
    expect([limited.status, Number(limited.headers.get('retry-after')) > 0]).toEqual([429, true])
  })

  test('shows every failure to a browser as a page, and to programs as an envelope', async () => {
    const ask = (Accept: string) =>
      holdfast.fetch('/s/AAAAAAAAAAAA', { method: 'DELETE', headers: { Accept } })

    const page = await ask(HTML.Accept)
    expect([page.status, page.headers.get('content-type'), page.headers.get('allow')]).toEqual([
      405,
      'text/html; charset=utf-8',
      'GET, HEAD, POST',
    ])
    expect(await page.text()).toContain('<h1>Something went wrong</h1>')
    expect(await messageOf(await ask('*/*'))).toStartWith('DELETE is not supported here. Use ')
  })

  test('is the same 404 for a slug that never was, a share that has ended, and a folder outside', async () => {
    const file = await api.upload('gone.txt', 'bytes', 'gone')
    const ended = await share([{ fileId: file.id }])
    const other = await share([{ fileId: file.id }])
    await api.data('DELETE', '/shares', { id: ended.id })

    const pages = ['/s/AAAAAAAAAAAA', `/s/${ended.slug}`, `/s/${other.slug}?folder=${file.folderId}`]
    const answers = await Promise.all(
      pages.map(async (path) => {
        const response = await get(path)
        const headers = [...response.headers].filter(([name]) => !['date', 'x-request-id'].includes(name))
        return [response.status, headers, await response.text()]
      }),
    )
    expect(answers.map(([status]) => status)).toEqual([404, 404, 404])
    expect(String(answers[0]?.[2])).toContain('<h1>This link does not exist or has expired</h1>')
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(await (await send('/s/AAAAAAAAAAAA', PASSWORD)).text()).toBe(String(answers[0]?.[2]))
  })
})

describe('the language of a page', () => {
  test.each(LANGUAGE_TAGS)('%s is that of the browser, for every kind of page', async (tag) => {
    const words = wordsIn(tag)
    const files = [await api.upload('1.txt', 'x'.repeat(1536), tag), await api.upload('2.txt', '', tag)]
    const items = files.map(({ id }) => ({ fileId: id }))
    const open = await share(items)
    const locked = await share(items, { password: PASSWORD })
    const { folderId } = files[0] ?? {}
    const box = await share([], { canRead: false, canWrite: true, folderId })
    const pages = {
      [`/s/${open.slug}`]: words.sharedFiles('Ada', words.summary({ count: 2, size: 1536 })),
      [`/s/${locked.slug}`]: words.password.lead,
      [`/s/${box.slug}`]: words.sendTo('Ada'),
      '/s/AAAAAAAAAAAA': words.closed.heading,
      [`/api/s/${locked.slug}/archive`]: words.locked.heading,
      '/api/hosting/none': words.missing.heading,
    }
    for (const [path, said] of Object.entries(pages)) {
      const response = await get(path, { 'Accept-Language': `${tag},en;q=0.5` })
      const page = await response.text()
      expect(page).toContain(`<html lang="${tag}">`)
      expect(page).toContain(`>${said}<`)
      expect(response.headers.get('vary')).toStartWith('Accept-Language, Cookie')
    }
  })

  test('is the one of an account that has chosen one, and gives numbers and sizes their form', async () => {
    const { id } = await api.upload('one.txt', 'x'.repeat(1536), 'formed')
    const { slug } = await share([{ fileId: id }])
    const headers = { 'Accept-Language': 'fr', Cookie: 'holdfast-language=de' }
    expect(await text(`/s/${slug}`, headers)).toContain('>Herunterladen (1,5 KiB)<')
    expect(await text(`/s/${slug}`, { 'Accept-Language': 'fr-CA' })).toContain('>Télécharger (1,5 Kio)<')
  })

  test.each(LANGUAGE_TAGS)('%s says what its texts are given', (tag) => {
    const { sendTo, sharedBy, sharedFile, sharedFiles, box } = wordsIn(tag)
    for (const said of [sharedFile('Aa', 'Bb'), sharedFiles('Aa', 'Bb')]) expect(said).toMatch(/Aa.*Bb/)
    for (const say of [sendTo, sharedBy, box.types]) expect(say('Aa')).toContain('Aa')
    expect(box.arrived('Aa', 3)).toMatch(/Aa.*3/)
    expect(box.some(3, 4, 5)).toMatch(/3.*4.*5/)
  })
})

describe('an instance with a name and a logo', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-logo-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const logo = join(folder, 'logo.png')
  writeFileSync(logo, makePng(64, 64))

  test('shows both on the pages for visitors, and the name in their titles', async () => {
    const environment = { INSTANCE_NAME: 'Ada & Sons', INSTANCE_LOGO: logo }
    await using named = await startWithAccount({ environment })
    const { slug } = await createShare(named.api, {
      items: [{ fileId: (await named.api.upload('a.txt', 'a')).id }],
    })

    const pages = [`/s/${slug}`, '/s/AAAAAAAAAAAA', '/api/hosting/none']
    for (const path of pages) {
      const page = await (await named.fetch(path, { headers: HTML })).text()
      expect(page).toContain(
        '<header class="brand"><img src="/assets/instance-logo" alt="">Ada &amp; Sons</header>',
      )
      expect(page).toContain(' · Ada &amp; Sons</title>')
    }
    const picture = await named.fetch('/assets/instance-logo')
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(picture.headers.get('x-content-type-options')).toBe('nosniff')
  })

  test.each([
    ['cannot be read', join(folder, 'none.png')],
    ['must be a PNG, JPEG or WebP picture', join(folder, 'logo.svg')],
    ['must have at most 256 KiB', join(folder, 'large.png')],
  ])('does not start with a logo that %s', async (problem, path) => {
    writeFileSync(join(folder, 'logo.svg'), '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')
    writeFileSync(join(folder, 'large.png'), Buffer.alloc(256 * 1024 + 1, makePng(64, 64)))
    expect(startWithAccount({ environment: { INSTANCE_LOGO: path } })).rejects.toThrow(
      `INSTANCE_LOGO ${problem}: ${path}`,
    )
  })
})

describe('a file opened by its address', () => {
  test('leads a browser to the password, and programs get the envelope', async () => {
    const file = await api.upload('by address.txt', 'bytes')
    const { slug } = await share([{ fileId: file.id }], { password: PASSWORD })
    for (const path of [`/api/s/${slug}/files/${file.id}`, `/api/s/${slug}/archive`]) {
      const page = await get(path)
      expect(page.status).toBe(401)
      expect(linksOf(await page.text())).toEqual([`/s/${slug}`])
      expect(await (await holdfast.fetch(path)).json()).toMatchObject({
        error: { message: 'This share has a password' },
      })
    }
  })

  test('is the page of a share that never was, once its share has ended', async () => {
    const file = await api.upload('ended.txt', 'bytes')
    const { slug, id } = await share([{ fileId: file.id }])
    await api.data('DELETE', '/shares', { id })
    const ended = await get(`/api/s/${slug}/files/${file.id}`)
    const never = await get(`/api/s/no-such-share/files/${file.id}`)
    expect([ended.status, await ended.text()]).toEqual([404, await never.text()])
  })
})
