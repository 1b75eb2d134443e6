import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { version } from '../../package.json'
import { withHoldfast } from '../support/fixture.ts'

const ROOT = join(import.meta.dir, '../..')

/** A strict program outside of the repository. Each `@ts-expect-error` fails where a type has become `any`. */
const PROGRAM = `
import { createClient, HoldfastError, type HoldfastClient, type HoldfastFile, type Scope } from 'holdfast-client'

const [url = '', key = '', folder = ''] = process.argv.slice(2)
const client: HoldfastClient = createClient({ url, key })
const files: HoldfastFile[] = await client.files.upload([{ name: 'a.txt', content: 'hello' }], { folder })
const imported = await client.folders.upload([{ path: 'b/c.txt', content: 'c' }], { folder: \`\${folder}/tree\` })
const keys: string[] = []
for await (const { key, size } of client.folders.files({ key: folder })) keys.push(\`\${key} \${size.toFixed()}\`)
const { sha256 } = await client.files.details({ key: \`\${folder}/a.txt\` })
const error: unknown = await client.files.get({ key: 'none' }).catch((error: unknown) => error)
const scope: Scope = 'files:read'
// @ts-expect-error A file has no such field.
files[0]?.nothing
// @ts-expect-error A size is a number.
const size: string | undefined = files[0]?.size
// @ts-expect-error There is no such visibility.
const wrong = () => client.files.setVisibility('id', 'hidden')
// @ts-expect-error An API key cannot manage users.
const forbidden = () => client.keys.create({ name: 'key', scopes: ['users:manage'] })
console.log(JSON.stringify({
  keys, sha256, scope, imported: imported.files, unused: [typeof size, typeof wrong, typeof forbidden],
  refused: error instanceof HoldfastError ? error.status : undefined,
}))
`

const STRICT = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  lib: ['ESNext', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
  target: 'ESNext',
  types: [],
}

const folder = mkdtempSync(join(tmpdir(), 'holdfast-package-'))
const outside = join(folder, 'outside')

const holdfast = withHoldfast()
beforeAll(async () => {
  const built = join(folder, 'client')
  run([process.execPath, join(ROOT, 'src/build/client.ts'), '--outdir', built], ROOT)
  run([process.execPath, 'pm', 'pack', '--destination', folder], built)
  mkdirSync(outside)
  writeFileSync(join(outside, 'package.json'), '{ "type": "module" }')
  run([process.execPath, 'add', join(folder, `holdfast-client-${version}.tgz`)], outside)
  writeFileSync(join(outside, 'program.ts'), PROGRAM)
  writeFileSync(join(outside, 'process.d.ts'), 'declare const process: { argv: string[] }')
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
})

/** Runs a command to its end. @returns Its output. */
function run(command: string[], cwd: string): string {
  const { success, stdout, stderr } = Bun.spawnSync(command, { cwd })
  if (!success) throw new Error(`${command.join(' ')} failed: ${stdout}${stderr}`)
  return stdout.toString()
}

function compile(options: object): void {
  const config = { compilerOptions: { ...STRICT, ...options }, files: ['program.ts', 'process.d.ts'] }
  writeFileSync(join(outside, 'tsconfig.json'), JSON.stringify(config))
  run([process.execPath, join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', '.'], outside)
}

describe('the package of the client', () => {
  test.each(['NodeNext', 'Preserve'])('compiles in a strict project with modules of %s', (module) => {
    expect(() => compile({ module, noEmit: true })).not.toThrow()
  })

  test.each(['bun', ...(Bun.which('node') ? ['node'] : [])])('runs in %s', async (runtime) => {
    compile({ module: 'NodeNext' })
    const program = runtime === 'bun' ? process.execPath : runtime

    const child = Bun.spawn([program, 'program.js', holdfast.url, holdfast.key, runtime], { cwd: outside })

    expect(await new Response(child.stdout).json()).toEqual({
      keys: [`${runtime}/a.txt 5`],
      sha256: new Bun.CryptoHasher('sha256').update('hello').digest('hex'),
      scope: 'files:read',
      imported: 1,
      unused: ['number', 'function', 'function'],
      refused: 404,
    })
  })
})
