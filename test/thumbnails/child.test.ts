import { afterAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { coefficientBytes } from '../../src/commands/thumbnail.ts'
import { createRunChild } from '../../src/modules/thumbnails/child.ts'
import { temporaryFolder } from '../support/temporary.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())
writeFileSync(join(folder.path, 'secret'), 'bytes of others')

const run = createRunChild(folder.path, ['/bin/true'])
const told = async (script: string) => {
  const { bytes } = await run(['/bin/sh', '-c', script], { stdin: new Uint8Array(), maxBuffer: 10_000 })
  return new TextDecoder().decode(bytes).trim()
}

/** True where this user may make namespaces; containers often forbid it. */
const canUnshare =
  Bun.spawnSync(['unshare', '--user', '--map-root-user', '--net', '--mount', 'true'], { stderr: 'ignore' })
    .exitCode === 0

test('a child that reads strangers’ files has no environment, and bounded memory and time', async () => {
  // The shell sets these itself.
  const own = /^(PWD|OLDPWD|_|SHLVL)=/
  expect((await told('env')).split('\n').filter((line) => !own.test(line))).toEqual([])
  expect(await told('ulimit -t; ulimit -c')).toBe('10\n0')
  // One line of zeros, which tail(1) holds whole.
  expect(await told('head -c 100M /dev/zero | tail -n 1 | wc -c')).toBe(String(100 * 1024 ** 2))
  expect(await told('head -c 900M /dev/zero | tail -n 1 | wc -c')).toBe('0')
})

test('a child runs beside a data folder with a relative path, as the default one', async () => {
  const before = process.cwd()
  process.chdir(join(folder.path, '..'))
  const runBeside = createRunChild(basename(folder.path), ['/bin/true'])
  const { bytes } = await runBeside(['echo', 'ran'], { stdin: new Uint8Array(), maxBuffer: 100 }).finally(
    () => process.chdir(before),
  )
  expect(new TextDecoder().decode(bytes)).toBe('ran\n')
})

test('a child that no request waits for yields its processor, and ends when one comes', async () => {
  const interrupted = new AbortController()
  const spare = { stdin: new Uint8Array(), maxBuffer: 100, spare: interrupted.signal }
  const { bytes } = await run(['/bin/sh', '-c', 'nice'], spare)
  expect(new TextDecoder().decode(bytes).trim()).toBe('19')

  const ended = { bytes: new Uint8Array(), wasEnded: true }
  const endless = run(['/bin/sh', '-c', 'cat; sleep 1000'], {
    ...spare,
    stdin: new ReadableStream({
      pull: (controller) => {
        interrupted.abort()
        controller.close()
      },
    }),
  })
  expect(await endless).toEqual(ended)
  expect(await run(['/bin/true'], spare)).toEqual(ended)
})

test('where the kernel allows it, a child has no network, no data folder and no way to the server', async () => {
  const [files, networks, parent] = await Promise.all([
    told(`cat ${folder.path}/secret || echo none`),
    told('tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d " "'),
    told(`tr -d x </proc/${process.pid}/environ >/dev/null && echo readable || echo hidden`),
  ])

  const apart = { files: 'none', networks: ['lo'], parent: 'hidden' }
  const seen = { files, networks: networks.split('\n'), parent }
  if (canUnshare) expect(seen).toEqual(apart)
  else expect(seen.files).toBe('bytes of others')
})

/** Returns the head of a JPEG with a frame of components, given by their sampling factors. */
const jpeg = (marker: number, width: number, height: number, factors: readonly number[]) =>
  new Uint8Array([
    ...[0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xff],
    ...[marker, 0, 8 + 3 * factors.length, 8, height >> 8, height & 255, width >> 8, width & 255],
    ...[factors.length, ...factors.flatMap((factor, index) => [index + 1, factor, 0])],
    ...[0xff, 0xda, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0],
  ])

test.each([
  ['a progressive one in RGB', 0xc2, [0x11, 0x11, 0x11], 600_000],
  ['a progressive one in CMYK', 0xc2, [0x11, 0x11, 0x11, 0x11], 800_000],
  ['a progressive one with halved colours', 0xc2, [0x22, 0x11, 0x11], 300_000],
  ['a sequential one', 0xc0, [0x11, 0x11, 0x11], 0],
] as const)('the coefficients of %s are counted', (_, marker, factors, bytes) => {
  expect(coefficientBytes(jpeg(marker, 500, 200, factors))).toBe(bytes)
})

test.each([
  ['nothing', []],
  ['a cut head', [0xff, 0xd8, 0xff, 0xc2, 0, 17, 8, 1]],
  ['zeros', new Array(40).fill(0)],
  ['fill bytes alone', new Array(40).fill(0xff)],
])('a picture of %s counts as none', (_, bytes) => {
  expect(coefficientBytes(new Uint8Array(bytes))).toBe(0)
})
