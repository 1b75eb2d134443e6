import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { withInside } from '../support/fixture.ts'
import { Nginx } from './caches.ts'
import { expectNoSite, expectWay, SITES_DOMAIN, sendPurges, WAYS } from './ways.ts'

const nginx = new Nginx()
const holdfast = withInside({
  environment: { CDN_KIND: 'nginx', CDN_URL: nginx.url, TRUST_PROXY: '127.0.0.1', SITES_DOMAIN },
})
const { api } = holdfast
beforeAll(() => nginx.start(holdfast.port))
afterAll(() => nginx[Symbol.asyncDispose]())

describe("Debian's nginx, configured as documented, stops serving a file as it was when", () => {
  test.each([...WAYS])('$name', (way) => expectWay(holdfast, nginx, way))
})

test.each(['plain.txt', 'a b+c.txt', 'ü.txt', '100% #1?.txt', 'a*.txt', "it's;(1)&x=y.txt", 'a%41.txt'])(
  'nginx purges a file with the name %j, however its address is written',
  async (name) => {
    const file = await api.upload(name, 'x', 'names', 'public')
    const address = `/api/hosting/names/${encodeURIComponent(name)}`
    const others = [address.replace('names', '%6Eames'), address.replace('names/', 'names/.//')]
    const statuses = () =>
      Promise.all([address, ...others].map(async (path) => (await fetch(nginx.url + path)).status))
    expect(await statuses()).toEqual([200, 200, 200])
    await api.data('PUT', '/files', { id: file.id, visibility: 'private' })
    await sendPurges(holdfast)
    expect(await statuses()).toEqual([404, 404, 404])
  },
)

test('nginx keeps nothing that only some may have', async () => {
  const file = await api.upload('secret.txt', 'secret', '', 'private')
  const signed = (await api.sign(file.id)).url
  for (let n = 0; n < 2; n += 1) {
    const responses = [
      await fetch(`${nginx.url}/${file.url}`, { headers: holdfast.withKey }),
      await fetch(`${nginx.url}/${file.url}`, { headers: { Cookie: holdfast.cookie } }),
      await fetch(`${nginx.url}/${signed}`),
      await fetch(`${nginx.url}/${file.url}`),
    ]
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 404])
  }
})

test('nginx has no file of a site for a client that names its host', () => expectNoSite(holdfast, nginx))
