import { beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withHoldfast } from '../support/fixture.ts'
import { filePart, MULTIPART, multipartBody } from '../support/multipart.ts'
import { headersBut, onWire, wholeAnswer } from './wire.ts'

/** Text that no response may contain. */
const OUTSIDE = 'bytes from outside'

let missing: ReturnType<typeof wholeAnswer>
const holdfast = withHoldfast()
const { ask } = onWire(holdfast)
beforeAll(async () => {
  await holdfast.api.upload('f', 'hosted')
  await holdfast.api.upload('b.txt', 'inside a', 'a')
  await holdfast.api.upload('s', 'hidden', 'a', 'private')
  const { dataPath } = holdfast
  for (const sibling of ['uploads', 'uploads-secret', 'tmp', 'db'])
    mkdirSync(join(dataPath, sibling), { recursive: true })
  for (const path of ['outside.txt', 'uploads-secret/x', 'tmp/x', 'db/x', 'uploads/unknown.txt'])
    writeFileSync(join(dataPath, path), OUTSIDE)
  missing = wholeAnswer(await ask('/api/hosting/nothing'))
})

const askKey = (encodedKey: string) => ask(`/api/hosting/${encodedKey}`)

describe('a hosting key that leads nowhere', () => {
  test.each<[what: string, keys: string[]]>([
    [
      'an encoded way out',
      ['..%2foutside.txt', '..%2Foutside.txt', '%2e%2e%2foutside.txt', 'a/..%2f..%2foutside.txt'],
    ],
    [
      'a long way out',
      ['..%2f..%2f..%2f..%2f..%2f..%2f..%2f..%2fetc%2fpasswd', `a/${'..%2f'.repeat(9)}etc/passwd`],
    ],
    [
      'a way out by backslashes',
      ['..%5coutside.txt', '..\\outside.txt', 'a\\..\\..\\outside.txt', '%5c..%5coutside.txt'],
    ],
    [
      'a way out with ornaments',
      ['..;/outside.txt', '..%00/outside.txt', '..%20/outside.txt', '.%09./outside.txt'],
    ],
    [
      'a way out in overlong UTF-8',
      ['%c0%ae%c0%ae/outside.txt', '..%c0%afoutside.txt', '%e0%80%ae%e0%80%ae/x'],
    ],
    [
      'a way out in fullwidth',
      ['%ef%bc%8e%ef%bc%8e/outside.txt', '..%ef%bc%8foutside.txt', '..%e2%88%95outside.txt'],
    ],
    ['a way out encoded twice', ['%252e%252e%252foutside.txt', '..%252foutside.txt', 'a%252fb.txt', '%2566']],
    ['a way out encoded thrice', ['%25252e%25252e%25252foutside.txt']],
    [
      'an absolute path',
      ['/etc/passwd', '%2fetc%2fpasswd', '%2Fproc%2Fself%2Fenviron', 'file:%2f%2f%2fetc%2fpasswd'],
    ],
    ['a sibling that begins alike', ['..%2fuploads-secret%2fx', '-secret/x', '..%2fuploads-secret/x']],
    ['the way back in', ['..%2fuploads%2ff', 'a%2f..%2ff']],
    ['a slash at the end', ['f/', 'a/b.txt/', 'f%2f', 'f//', 'f/.', 'f/./', './', '/.']],
    ['below a file', ['f/x', 'f%2fx', 'f/../f%2f', 'f/b.txt']],
    ['a folder', ['a', 'a/', 'a%2f', 'files', 'files/f']],
    ['nothing', ['', '%20', '%2f', '%2f%2f', '?']],
    ['a dot segment', ['a/../f', 'x/%2e%2e/a/b.txt', '.%2E/f', '..', '../health', 'a/..', './../f', '.../f']],
    ['a broken escape', ['%', '%zz', '%1', 'f%', 'f%2', '%ff', '%80', '%ed%a0%80', '%f0%9f', '%u0066']],
    ['NUL', ['f%00', 'f%00.jpg', '%00f', '%00', 'a/b.txt%00.png', 'f%2500']],
    ['control characters', ['f%0a', 'f%0d%0aX-Injected:%20yes', '%09f', 'f%7f', 'f%1f']],
    ['space', ['f%20', '%20f', 'f+', '+f', 'f%e2%80%8b']],
    ['another case', ['F', 'A/b.txt', 'a/B.TXT']],
    ['the volume’s marker', ['.holdfast-volume', '%2eholdfast-volume']],
    ['the catalog', ['db/holdfast.sqlite', '..%2fdb%2fholdfast.sqlite', 'holdfast.sqlite-wal', 'db/x']],
    ['the secret', ['secret', '..%2fsecret']],
    ['what is being staged', ['tmp/x', '..%2ftmp%2fx']],
    ['a file that the catalog does not know', ['unknown.txt']],
    ['a name that is too long', ['x'.repeat(256), '%f0%9f%98%80'.repeat(64), `${'d/'.repeat(2000)}f`]],
    ['a key that is too long', [`${'dddddddddd/'.repeat(400)}f`]],
  ])('%s is the 404 of a missing key', async (_, keys) => {
    for (const key of keys) expect({ key, ...wholeAnswer(await askKey(key)) }).toEqual({ key, ...missing })
  })

  test.each([
    '../outside.txt',
    '../../../../../../../../etc/passwd',
    '%2e%2e/outside.txt',
    '%2E%2E/%2e./outside.txt',
    '.%2e/.%2e/.%2e/etc/passwd',
    'a/../../outside.txt',
    'a/%2e%2e/%2e%2e/db/holdfast.sqlite',
    '../files',
    '../files/download/x',
    '..',
    '../hosting/../files',
  ])('%s gets the response of the path that it resolves to, never bytes', async (path) => {
    const answer = await askKey(path)

    expect([401, 404]).toContain(answer.status)
    expect(answer.body.toString()).toMatch(/^\{"data":null,"error":\{"message":"[A-Z][a-z ]+"\}\}$/)
  })

  test.each([
    ...['./f', '././/f', '/f', '//f', '%2ff', '.%2ff', '%2e/f'],
    ...['a//b.txt', 'a/./b.txt', 'a%2f.%2fb.txt', './a/.//b.txt'],
  ])('%s is the file without its empty segments', async (key) => {
    expect((await askKey(key)).body.toString()).toBe(key.endsWith('f') ? 'hosted' : 'inside a')
  })

  test('without its empty segments is under the same rule', async () => {
    expect(wholeAnswer(await askKey('a/./s'))).toEqual(missing)
  })

  test('with encoded slashes is the same file under the same rule', async () => {
    expect((await askKey('a%2fb.txt')).body.toString()).toBe('inside a')
    expect((await askKey('a%2Fb%2Etxt')).body.toString()).toBe('inside a')
    expect(wholeAnswer(await askKey('a%2fs'))).toEqual(missing)
  })

  // The path must hold a slash after `/api/hosting` to name a key at all.
  test.each(['/api/hosting', '//api/hosting/f', '/api//hosting/f', '/api/hosting%2ff', '/API/hosting/f'])(
    '%s is 404, as no such route exists',
    async (target) => {
      const answer = await ask(target)

      expect(answer.status).toBe(404)
      expect(answer.body.toString()).not.toContain('hosted')
    },
  )
})

describe('a name that needs encoding', () => {
  test.each([
    'a b.txt',
    ' leading and trailing ',
    'what?.txt',
    'why#.txt',
    '100%.txt',
    'p%41.txt',
    '%2e%2e%2f',
    '%0d%0aSet-Cookie: a=b',
    'plus+plus.txt',
    'é.txt',
    'e\u0301.txt',
    'latin-ÿ.txt',
    'c:d.txt',
    'semi;colon.txt',
    'a&b=c.txt',
    `quo"ted.txt`,
    `it's.txt`,
    '*(star)*!~.txt',
    '😀.txt',
    'rtl\u202Etxt.exe',
    'zero\u200Bwidth',
    '...',
    '..a',
    '-rf',
    'CON',
    'ends.',
    '[brackets]{braces}|^`<>.txt',
    `${'x'.repeat(251)}.txt`,
    `${'é'.repeat(127)}x`,
  ])('is served complete at its URL: %s', async (name) => {
    const content = `bytes of ${name}`
    const file = await holdfast.api.upload(name, content, 'named #1 100%')

    const answer = await ask(`/${file.url}`)
    const resolved = await fetch(new URL(file.url, `${holdfast.url}/`))

    expect([file.name, file.key]).toEqual([name, `named #1 100%/${name}`])
    expect([answer.status, answer.body.toString()]).toEqual([200, content])
    expect(await resolved.text()).toBe(content)
    expect(savedAs(answer.headers.get('content-disposition'))).toBe(name)
    expect(answer.head).toMatch(/^[\x20-\x7e\r\n]*$/)
    expect(answer.head.toLowerCase()).not.toContain('\r\nset-cookie')
  })
})

/** Returns the exact name in a `Content-Disposition`, which must have a quoted ASCII name before it. */
function savedAs(disposition = ''): string {
  const [, extended = ''] =
    /^inline; filename="[^"\\%]*"; filename\*=UTF-8''([\w.!#$&+^`|~%-]+)$/.exec(disposition) ?? []
  return decodeURIComponent(extended)
}

describe('content that a browser would run', () => {
  test.each([
    ['page.html', 'text/html'],
    ['image.svg', 'image/svg+xml'],
    ['page.xhtml', 'application/xhtml+xml'],
    ['sheet.xml', 'application/xml'],
    ['code.js', 'text/javascript'],
    ['archive.mht', 'message/rfc822'],
    ['paper.pdf', 'application/pdf'],
    ['html', 'application/octet-stream'],
    ['PAGE.HTML', 'text/html'],
    ['photo.png', 'image/png'],
  ])('%s is sandboxed, unsniffed and of type %s', async (name, type) => {
    const part = filePart(name, '<script>alert(1)</script>')
    const body = multipartBody([
      { ...part, headers: [...part.headers, 'Content-Type: text/html;charset=utf-7'] },
    ])
    await holdfast.fetch('/api/files', {
      method: 'POST',
      body,
      headers: { ...holdfast.withKey, ...MULTIPART },
    })

    const answer = await askKey(name)

    expect(answer.status).toBe(200)
    expect(headersBut(answer)).toMatchObject({
      'content-type': type,
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
    })
  })
})
