import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Copy, DockerfileParser, type From, type Instruction } from 'dockerfile-ast'
import { validate } from 'dockerfile-utils'
import { version } from '../package.json'
import { readConfig } from '../src/platform/config.ts'
import { temporaryFolder } from './support/temporary.ts'

const ROOT = join(import.meta.dir, '..')

/** Service of a compose file, as far as it is checked. */
interface Service {
  image?: string
  environment?: Record<string, string>
  volumes?: string[]
  healthcheck?: { test: string }
}

/** Returns variables with a text in the place of each one that the operator gives. */
const filled = (environment: Record<string, string> = {}) =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value.replace(/\$\{\w+[^}]*\}/g, 'given-by-the-operator.example'),
    ]),
  )

/** Settings of every service of ours: how the image comes about, and what limits it. */
const CONFINED = {
  build: '.',
  image: `\${HOLDFAST_IMAGE:-holdfast:${version}}`,
  read_only: true,
  cap_drop: ['ALL'],
  security_opt: ['no-new-privileges:true'],
  mem_limit: '2g',
  pids_limit: 512,
}

const HEALTHY_ENGINES = {
  postgres: { condition: 'service_healthy' },
  store: { condition: 'service_healthy' },
}
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8')

/** Returns the stages of the Dockerfile: a FROM instruction and those below it. */
function stages(): Instruction[][] {
  const found: Instruction[][] = []
  for (const instruction of DockerfileParser.parse(read('Dockerfile')).getInstructions())
    if (instruction.getKeyword() === 'FROM') found.push([instruction])
    else found.at(-1)?.push(instruction)
  return found
}

/** Files of the build context: .dockerignore excludes all, then names the exceptions. */
const CONTEXT = new Set(
  read('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1)),
)

/** Executes a stage's WORKDIR, COPY and RUN instructions below `folder` instead of an image's root. */
function carryOut(stage: readonly Instruction[], folder: string): void {
  let workingFolder = folder
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  symlinkSync(process.execPath, join(bin, 'bun'))
  for (const instruction of stage) {
    const content = instruction.getArgumentsContent() ?? ''
    switch (instruction.getKeyword()) {
      case 'WORKDIR':
        workingFolder = join(folder, content)
        mkdirSync(workingFolder, { recursive: true })
        break
      case 'COPY':
        copy(
          instruction.getArguments().map((word) => word.getValue()),
          workingFolder,
        )
        break
      case 'RUN':
        run(content, { cwd: workingFolder, bin })
    }
  }
}

function copy(words: string[], folder: string): void {
  const target = words.at(-1) ?? ''
  const sources = words.slice(0, -1)
  expect([...CONTEXT]).toEqual(expect.arrayContaining(sources))
  for (const source of sources)
    cpSync(
      join(ROOT, source),
      target.endsWith('/') ? join(folder, target, source) : resolve(folder, target),
      { recursive: true },
    )
}

/** Runs a command with only this runtime and the system's tools, as in the image. */
function run(command: string, { cwd, bin }: { cwd: string; bin: string }): void {
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: process.env['HOME'] }
  const { exitCode, stdout, stderr } = Bun.spawnSync(['sh', '-c', command], { cwd, env })
  if (exitCode !== 0) throw new Error(`"${command}" ended with ${exitCode}: ${stdout}${stderr}`)
}

const [build = [], image = []] = stages()
/** Folder in which the build stage is carried out once for all tests. */
const folder = mkdtempSync(join(tmpdir(), 'holdfast-image-'))
const dist = join(folder, 'app/dist')
const binary = join(dist, 'holdfast')

beforeAll(() => carryOut(build, folder))
afterAll(() => rmSync(folder, { recursive: true }))

describe('the container image', () => {
  test('has a Dockerfile that a parser finds no fault with', () => {
    expect(validate(read('Dockerfile')).map(({ message }) => message)).toEqual([])
  })

  test('names its version, and runs as a user with a number', () => {
    const words = (keyword: string) =>
      image.filter((one) => one.getKeyword() === keyword).map((one) => one.getArgumentsContent())

    expect(words('LABEL').join()).toContain(`image.version="${version}"`)
    expect(words('USER')).toEqual(['1000:1000'])
    expect(words('HEALTHCHECK')).toHaveLength(1)
  })

  test('is what compose.yaml builds, behind a proxy', () => {
    const { services } = Bun.YAML.parse(read('compose.yaml')) as { services: Record<string, object> }

    expect(Object.keys(services)).toEqual(['holdfast', 'caddy'])
    expect(services['holdfast']).toMatchObject({ ...CONFINED, volumes: ['data:/data'] })
  })

  test('is what compose.scale.yaml builds twice, as one instance on PostgreSQL and an object store', () => {
    const { services, volumes } = Bun.YAML.parse(read('compose.scale.yaml')) as {
      services: Record<string, Service>
      volumes: Record<string, null>
    }
    const nodes = [services['holdfast-1'], services['holdfast-2']]

    expect(Object.keys(services)).toEqual(['holdfast-1', 'holdfast-2', 'postgres', 'store', 'caddy'])
    expect(nodes.map((node) => node?.volumes)).toEqual([['data-1:/data'], ['data-2:/data']])
    for (const node of nodes) {
      expect(node).toMatchObject({ ...CONFINED, depends_on: HEALTHY_ENGINES })
      const { port, database, objectStore } = readConfig(filled(node?.environment))
      expect(port).toBe(3000)
      expect(database?.url).toContain('@postgres/holdfast')
      expect(objectStore).toMatchObject({ endpoint: 'http://store:7070', bucket: 'holdfast' })
    }
    for (const { image, healthcheck } of [services['postgres'], services['store']].map((one) => one ?? {}))
      expect([image, healthcheck?.test]).toEqual([expect.stringMatching(/:v?[\d.]+$/), expect.any(String)])
    const named = Object.values(services).flatMap((service) => service.volumes ?? [])
    expect(named.map((volume) => volume.split(':')[0]).toSorted()).toEqual(Object.keys(volumes).toSorted())
  })

  test('gets its binary from the build stage, carried out in a clean folder', () => {
    const taken = image.filter((instruction): instruction is Copy => instruction.getKeyword() === 'COPY')
    const built = join(folder, taken[0]?.getArguments()[0]?.getValue() ?? '')

    expect(build.map((instruction) => instruction.getKeyword())).toContain('RUN')
    expect((build[0] as From).getBuildStage()).toBe('build')
    expect(taken.map((instruction) => instruction.getFlags().join(' '))).toEqual(['--from=build'])
    expect(built).toBe(binary)
    expect(existsSync(built) && (statSync(built).mode & 0o111) !== 0).toBe(true)
    expect(Bun.spawnSync([built, '--version']).stdout.toString()).toBe(`${version}\n`)
  })
})

describe('the repository', () => {
  test('has no conflict marker of a merge in any file', () => {
    const marker = '^(<{7}|[|]{7}|>{7})( |$)'
    const grep = ['git', 'grep', '--no-index', '--exclude-standard', '-nE', marker]
    const { exitCode, stdout, stderr } = Bun.spawnSync(grep, { cwd: ROOT })

    expect(`${stdout}${stderr}`).toBe('')
    expect(exitCode).toBe(1)
  })
})

describe('the binary', () => {
  test('prints its version, and lies beside the client', () => {
    expect(Bun.spawnSync([binary, '--version']).stdout.toString()).toBe(`${version}\n`)
    expect(readdirSync(dist).sort()).toEqual(['client', 'dashboard', 'holdfast'])
  })

  test('started in an empty folder has all it needs: migrations, hashing, its threads, the dashboard', async () => {
    const cwd = join(folder, 'empty')
    mkdirSync(cwd)
    const child = Bun.spawn([binary], { cwd, env: { PORT: '0', HOST: '127.0.0.1' }, stdout: 'pipe' })
    const { value } = await child.stdout.getReader().read()
    const [url] = /http:\S+/.exec(Buffer.from(value ?? []).toString()) ?? []
    const { createClient } = await import(join(dist, 'client'))
    const client = createClient({ url })

    await client.auth.signUp({ name: 'Ada', email: 'ada@example.com', password: 'correct horse' })
    const content = new Uint8Array(5 * 1024 ** 2)
    const [file] = await client.files.upload([{ name: 'large', content }])
    const [{ sha256 }] = await client.folders.checksums()
    const { items } = await client.search('LARGE')
    const changed = await client.settings.applyVisibility('private')
    const page = await fetch(url ?? '', { headers: { Accept: 'text/html' } })
    const [, script] = /src="([^"]+\.js)"/.exec(await page.text()) ?? []
    const loaded = await fetch(new URL(script ?? '', url))
    child.kill('SIGTERM')

    expect(await child.exited).toBe(0)
    expect([loaded.status, loaded.headers.get('content-type')]).toEqual([
      200,
      'text/javascript; charset=utf-8',
    ])
    expect(items[0]?.file.id).toBe(file.id)
    expect([file.size, changed]).toEqual([content.length, 1])
    expect(sha256).toBe(new Bun.CryptoHasher('sha256').update(content).digest('hex'))
    expect(readdirSync(join(cwd, 'data')).sort()).toEqual([
      'db',
      'secret',
      'tmp',
      'trash',
      'uploads',
      'versions',
    ])
  })

  test('reads no .env for commands that connect to a server', async () => {
    const requests: string[] = []
    using stranger = Bun.serve({
      port: 0,
      fetch: ({ url }) => {
        requests.push(url)
        return new Response('{}')
      },
    })
    const cwd = join(folder, 'cloned')
    mkdirSync(cwd)
    const variables = [`HOLDFAST_URL=${stranger.url}`, 'HOLDFAST_KEY=hf_x', `HTTP_PROXY=${stranger.url}`]
    writeFileSync(join(cwd, '.env'), variables.join('\n'))
    const env = { XDG_CONFIG_HOME: join(cwd, 'config') }

    const child = Bun.spawn([binary, 'ls'], { cwd, env, stderr: 'pipe' })

    expect(await new Response(child.stderr).text()).toContain('You are not logged in')
    expect(await child.exited).toBe(1)
    expect(requests).toEqual([])
  })

  test('of a target that there is not is refused, with those that there are', () => {
    const words = [process.execPath, join(ROOT, 'src/build/main.ts'), '--target', 'amiga']
    const { exitCode, stderr } = Bun.spawnSync(words)

    expect(exitCode).toBe(1)
    expect(stderr.toString()).toContain('linux-x64-baseline')
  })
})

test('an installation without development dependencies succeeds, and says that it built no dashboard', () => {
  using clean = temporaryFolder()
  cpSync(join(ROOT, 'src/build/prepare.ts'), join(clean.path, 'prepare.ts'))
  // With this folder, Bun does not download what is imported.
  mkdirSync(join(clean.path, 'node_modules'))

  const { exitCode, stdout } = Bun.spawnSync([process.execPath, 'prepare.ts'], { cwd: clean.path })

  expect(exitCode).toBe(0)
  expect(stdout.toString()).toStartWith('The dashboard is not built, because development dependencies')
})
