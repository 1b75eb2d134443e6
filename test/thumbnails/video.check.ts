import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Share } from '../../src/client/types.ts'
import { makePng } from '../browser/png.ts'
import { apiOf } from '../support/api.ts'
import { type Account, type Inside, register, startInside, upload } from '../support/holdfast.ts'

/** Thumbnails of videos, by ffmpeg, and of pictures that libheif decodes. */

const folder = mkdtempSync(join(tmpdir(), 'holdfast-video-'))
let holdfast: Inside
let account: Account
beforeAll(async () => {
  holdfast = await startInside()
  account = await register(holdfast)
})
afterAll(async () => {
  await holdfast[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

interface Film {
  seconds: number
  /** Further arguments for ffmpeg. */
  rest?: string[]
}

/** Makes a film of 640 to 360 pixels, red in its first second and green after it. */
function film(name: string, { seconds, rest = [] }: Film): Uint8Array<ArrayBuffer> {
  const path = join(folder, name)
  const colour = `color=green:s=640x360:d=${seconds},drawbox=c=red:t=fill:enable='lt(t,1)'`
  const made = Bun.spawnSync(['ffmpeg', '-v', 'error', '-y', '-f', 'lavfi', '-i', colour, ...rest, path])
  expect([made.exitCode, made.stderr.toString()]).toEqual([0, ''])
  return new Uint8Array(readFileSync(path))
}
const store = (name: string, content: Uint8Array<ArrayBuffer> | string) =>
  upload(holdfast, account.withKey, { name, content, visibility: 'private' })
const get = (id: string) =>
  holdfast.fetch(`/api/files/thumbnail/${id}?width=200`, { headers: account.withKey })

/** Returns size and colour of the middle of a thumbnail: `red`, `green`, or neither. */
async function look(response: Response) {
  const image = new Bun.Image(await response.bytes())
  const { width, height } = await image.metadata()
  const path = join(folder, 'seen.png')
  writeFileSync(path, await image.png().bytes())
  const args = ['-v', 'error', '-i', path, '-vf', 'crop=1:1', '-f', 'rawvideo', '-pix_fmt', 'rgb24', 'pipe:1']
  const [red = 0, green = 0] = Bun.spawnSync(['ffmpeg', ...args]).stdout
  return [width, height, red > 200 && green < 60 ? 'red' : green > 90 && red < 60 ? 'green' : 'neither']
}

test.each([
  ['film.mp4', []],
  ['fast.mp4', ['-movflags', 'faststart']],
  ['phone.mov', []],
  ['clip.webm', []],
  ['clip.mkv', []],
  ['old.avi', []],
])('a thumbnail of %s shows a frame after its beginning', async (name, rest) => {
  const { id } = await store(name, film(name, { seconds: 4, rest }))
  const response = await get(id)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp'])
  expect(await look(response)).toEqual([200, 113, 'green'])
})

test('a thumbnail of a short film shows its first frame', async () => {
  const { id } = await store('short.mp4', film('short.mp4', { seconds: 1 }))
  expect(await look(await get(id))).toEqual([200, 113, 'red'])
})

test('a file that names others opens none of them', async () => {
  const path = join(folder, 'secret.mp4')
  writeFileSync(path, film('secret.mp4', { seconds: 4 }))
  const lists = [
    `#EXTM3U\n#EXTINF:4,\nfile://${path}\n`,
    `ffconcat version 1.0\nfile 'file:${path}'\n`,
    `#EXTM3U\n#EXTINF:4,\nhttp://127.0.0.1:${holdfast.port}/\n`,
  ]
  for (const [index, list] of lists.entries())
    for (const ending of ['mp4', 'webm', 'avi', 'ogv'])
      expect([ending, (await get((await store(`list ${index}.${ending}`, list)).id)).status]).toEqual([
        ending,
        404,
      ])
})

test.each(['ffv1', 'huffyuv', 'utvideo', 'zmbv'])(
  'a film in the rare format %s is not decoded',
  async (codec) => {
    const { id } = await store(`${codec}.avi`, film(`${codec}.avi`, { seconds: 1, rest: ['-c:v', codec] }))
    expect((await get(id)).status).toBe(404)
  },
)

test('a film is read only as what its name says', async () => {
  const { id } = await store('film.webm', film('inside.mp4', { seconds: 3 }))
  expect((await get(id)).status).toBe(404)
})

test('the page of a share shows frames of its films, and that of a film plays it', async () => {
  const { id } = await store('shared.mp4', film('shared.mp4', { seconds: 3 }))
  const other = await store('beside.txt', 'text')
  const { share } = await apiOf(holdfast, account).data<{ share: Share }>('POST', '/shares', {
    items: [{ fileId: id }, { fileId: other.id }],
  })
  const page = await (await holdfast.fetch(`/s/${share.slug}`)).text()
  expect(page).toContain(`<img src="/api/s/${share.slug}/thumbs/${id}?width=200"`)
  const thumbnail = await holdfast.fetch(`/api/s/${share.slug}/thumbs/${id}?width=200`)
  expect(await look(thumbnail)).toEqual([200, 113, 'green'])
  const player = await (await holdfast.fetch(`/s/${share.slug}?file=${id}`)).text()
  expect(player).toContain(`<video src="/api/s/${share.slug}/files/${id}"`)
})

test('a film that is replaced while its thumbnail waits leaves the frame of another to no copy', async () => {
  const rest = ['-metadata', 'title=replaced']
  const short = film('replaced.mp4', { seconds: 1, rest })
  const { id } = await store('replaced.mp4', short)
  const pictures = await Promise.all(
    Array.from({ length: 10 }, (_, n) => store(`before ${n}.png`, makePng(900 + n, 300))),
  )
  const waiting = [...pictures.map((picture) => get(picture.id)), get(id)]
  await apiOf(holdfast, account).replace(id, film('longer.mp4', { seconds: 4, rest }))
  await Promise.all(waiting)
  const copy = await store('copy.mp4', short)
  expect(await look(await get(copy.id))).toEqual([200, 113, 'red'])
})

test('a damaged film has no thumbnail, and that is cached', async () => {
  const whole = film('whole.mp4', { seconds: 4 })
  const cut = await store('cut.mp4', whole.slice(0, Math.floor(whole.length / 2)))
  expect((await get(cut.id)).status).toBe(404)
  const before = readdirSync(join(holdfast.dataPath, 'thumbs')).length
  expect((await get(cut.id)).status).toBe(404)
  expect(readdirSync(join(holdfast.dataPath, 'thumbs')).length).toBe(before)
})

test.each(['heic', 'avif'])('a picture in %s has a thumbnail, and is hosted by width', async (format) => {
  const photo = new Uint8Array(readFileSync(join(import.meta.dir, `photo.${format}`)))
  const { id, url } = await store(`photo.${format}`, photo)
  expect(await look(await get(id))).toEqual([200, 113, 'red'])
  const hosted = await holdfast.fetch(`/${url}?width=400`, { headers: account.withKey })
  expect([hosted.status, hosted.headers.get('content-type')]).toEqual([200, 'image/webp'])
  expect(await look(hosted)).toEqual([400, 225, 'red'])

  const cut = await store(`cut.${format}`, photo.slice(0, -20))
  expect((await get(cut.id)).status).toBe(404)
})

test('a picture that was named as a film has a thumbnail once it is renamed', async () => {
  const { id } = await store('photo.mp4', makePng(50, 40))
  expect((await get(id)).status).toBe(404)
  await apiOf(holdfast, account).data('PUT', '/files', { id, name: 'photo.png' })
  const response = await get(id)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp'])
})
