import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chownSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../package.json'
import { run } from '../src/build/packaging/archive.ts'
import { temporaryFolder } from './support/temporary.ts'

/** Builds the image by the Dockerfile, on bases made of Debian's packages, and runs it confined as in `compose.yaml`. */

const ROOT = join(import.meta.dir, '..')
/** Folder that is not on an overlay itself: layers of the image are overlays. */
const folder = temporaryFolder('/dev/shm')
const [base, data] = [join(folder.path, 'base'), join(folder.path, 'data')]

const buildah = (...words: string[]) => {
  const places = ['--root', join(folder.path, 'storage'), '--runroot', join(folder.path, 'run')]
  return run(['buildah', ...places, '--storage-driver', 'overlay', ...words], { cwd: ROOT }).trim()
}

/** Makes an image that the Dockerfile begins with. @param from Image to which files are added. */
function makeBase(name: string, { from, file, to }: Record<'from' | 'file' | 'to', string>): void {
  const container = buildah('from', '--pull-never', from)
  buildah('copy', container, file, to)
  buildah('commit', '--rm', container, name)
}

/** Settings of an image. */
interface Settings {
  User: string
  Env: string[]
  Entrypoint: string[]
  Volumes: Record<string, object>
  ExposedPorts: Record<string, object>
  Labels: Record<string, string>
  Healthcheck: { Test: [string, string] }
}
let settings: Settings
/** Folder of the image's files. */
let root = ''

beforeAll(() => {
  run(['mmdebstrap', '--variant=required', 'bookworm', base])
  const [debian = '', bun = ''] = ['library/debian:bookworm-slim', 'oven/bun:1.4.5-slim'].map(
    (name) => `docker.io/${name}`,
  )
  makeBase(debian, { from: 'scratch', file: base, to: '/' })
  makeBase(bun, { from: debian, file: process.execPath, to: '/usr/local/bin/bun' })
})

beforeAll(() => {
  const cache = `${run([process.execPath, 'pm', 'cache'], { cwd: ROOT }).trim()}:/root/.bun/install/cache`
  // The format of OCI has no health check.
  const words = ['--pull-never', '--isolation', 'chroot', '--format', 'docker', '--volume', cache]
  buildah('build', ...words, '--tag', 'holdfast', '.')
  settings = JSON.parse(buildah('inspect', '--type', 'image', 'holdfast')).Docker.config
  root = buildah('mount', buildah('from', 'holdfast'))
  mkdirSync(data, { mode: 0o700 })
  chownSync(data, 1000, 1000)
})
afterAll(() => {
  run(['umount', '--recursive', join(folder.path, 'storage/overlay')])
  folder[Symbol.dispose]()
})

/** Starts a command as the image's user, without rights, where only `/data` and `/tmp` can be written. */
function start(command: readonly string[], environment: readonly string[] = []) {
  const [user = '', group = ''] = settings.User.split(':')
  const confine = `mount --bind "$0" "$0"; mount --options remount,bind,ro "$0"; mount --types tmpfs none "$0/tmp"
    mount --bind "$1" "$0/data"; mount --bind /proc "$0/proc"; shift; exec chroot "$0" setpriv "$@"`
  const rights = ['--clear-groups', '--bounding-set=-all', '--inh-caps=-all', '--no-new-privs']
  return Bun.spawn(
    [
      ...['unshare', '--mount', 'sh', '-ec', confine, root, data],
      ...[`--reuid=${user}`, `--regid=${group}`, ...rights, 'env', '-i', ...settings.Env, ...environment],
      ...command,
    ],
    { stdout: 'pipe', stderr: 'pipe' },
  )
}

describe('the image', () => {
  test('has its settings', () => {
    expect(settings).toMatchObject({
      User: '1000:1000',
      Entrypoint: ['holdfast'],
      Volumes: { '/data': {} },
      ExposedPorts: { '3000/tcp': {} },
      Labels: {
        'org.opencontainers.image.title': 'Holdfast',
        'org.opencontainers.image.version': version,
        'org.opencontainers.image.licenses': 'MIT',
      },
    })
    expect(Bun.spawnSync([join(root, 'usr/local/bin/holdfast'), '--version']).stdout.toString()).toBe(
      `${version}\n`,
    )
  })

  test('runs without rights on a root that cannot be written, and its health check tells whether it does', async () => {
    const server = start(settings.Entrypoint, ['PORT=0'])
    const { value } = await server.stdout.getReader().read()
    const [, port] = /http:\S+:(\d+)/.exec(Buffer.from(value ?? []).toString()) ?? []
    const [kind, command] = settings.Healthcheck.Test
    const health = () => start(['sh', '-c', command], [`PORT=${port}`]).exited
    const status = run(['cat', `/proc/${server.pid}/status`])

    // Writes a password, whose library is unpacked into /tmp.
    const account = { name: 'Ada', email: 'ada@example.com', password: 'correct horse' }
    const made = await fetch(`http://localhost:${port}/api/auth/sign-up/email`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(account),
    })
    const healthy = await health()
    server.kill('SIGTERM')
    const exitCode = await server.exited

    expect([kind, healthy, await health()]).toEqual(['CMD-SHELL', 0, 1])
    expect([made.status, exitCode]).toEqual([200, 0])
    expect(status).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m)
    expect(status).toMatch(/^CapBnd:\t0+$/m)
    expect(readdirSync(data)).toContain('db')
  })
})
