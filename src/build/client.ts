import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { API, NodeBuilderFlags } from 'typescript/unstable/async'
import { description, license, version } from '../../package.json'

/** Builds the package of the client into `dist/client`: one module, and types that need nothing of the server. */

const ROOT = join(import.meta.dir, '../..')
const CLIENT = join(ROOT, 'src/client')
const NAME = 'holdfast-client'

const MANIFEST = {
  name: NAME,
  version,
  description: `The client of Holdfast. ${description}`,
  license,
  type: 'module',
  exports: { '.': { types: './index.d.ts', default: './index.js' } },
  sideEffects: false,
  engines: { node: '>=20' },
}

/** Writes out every part of a type, so that it no longer refers to a schema. */
const PLAIN = `
type Primitive = string | number | boolean | null | undefined
type Plain<T> = T extends Primitive ? T : T extends infer O ? { [K in keyof O]: Plain<O[K]> } : never`

/** Returns the exported types of `model.ts` with their docstrings, each written out. */
async function plainModel(folder: string): Promise<string> {
  const model = readFileSync(join(CLIENT, 'model.ts'), 'utf8')
  const exported = [...model.matchAll(/(\/\*\*(?:(?!\*\/).)*\*\/\n)?export type (\w+) =/gs)].map(
    ([, docstring = '', name = '']) => ({ docstring, name }),
  )
  const probe = `import type * as Model from '${CLIENT}/model.ts'${PLAIN}
${exported.map(({ name }) => `declare const ${name}: Plain<Model.${name}>`).join('\n')}`
  const [file, config] = [join(folder, 'probe.ts'), join(folder, 'tsconfig.json')]
  writeFileSync(file, probe)
  writeConfig(config, {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: { typeRoots: [join(ROOT, 'node_modules/@types')] },
    include: [file, join(ROOT, 'drizzle/sql.d.ts')],
  })
  const types = await typesAt(
    config,
    file,
    exported.map(({ name }) => probe.indexOf(`const ${name}:`) + 'const '.length),
  )
  const objects = exported
    .map(({ name }, index) => ({ name, text: types[index] ?? '' }))
    .filter(({ text }) => text.startsWith('{'))
    .toSorted((a, b) => b.text.length - a.text.length)
  return exported
    .map(({ docstring, name }, index) => {
      const others = objects.filter((other) => other.text !== types[index])
      const text = others.reduce((type, other) => type.replaceAll(other.text, other.name), types[index] ?? '')
      return `${docstring}export type ${name} = ${text}`
    })
    .join('\n')
}

/** Returns the types of the names at some positions of a file. */
async function typesAt(config: string, file: string, positions: readonly number[]): Promise<string[]> {
  const api = new API({ cwd: ROOT })
  try {
    const snapshot = await api.updateSnapshot({ openProject: config })
    const checker = snapshot.getProject(config)?.checker
    const types = (await checker?.getTypeAtPosition(file, positions)) ?? []
    const { InTypeAlias, NoTruncation } = NodeBuilderFlags
    return await Promise.all(
      types.map(
        async (type) =>
          (type && (await checker?.typeToString(type, undefined, InTypeAlias | NoTruncation))) ?? '',
      ),
    )
  } finally {
    await api.close()
  }
}

/** Emits the declarations from a copy of the sources that cannot reach the server's. */
async function writeDeclarations(outdir: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-client-'))
  try {
    const model = await plainModel(folder)
    cpSync(CLIENT, join(folder, 'client'), { recursive: true })
    writeFileSync(join(folder, 'client/model.ts'), model)
    const config = join(folder, 'client/tsconfig.json')
    writeConfig(config, {
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions: {
        lib: ['ESNext', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
        types: [],
        // Bundled into the module.
        paths: { fflate: [join(ROOT, 'node_modules/fflate')] },
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        outDir: outdir,
      },
      include: ['.'],
    })
    run([process.execPath, join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', config])
  } finally {
    rmSync(folder, { recursive: true })
  }
  for (const name of new Bun.Glob('*.d.ts').scanSync(outdir)) {
    const path = join(outdir, name)
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/(?<=['"]\.\/\w+\.)ts(?=['"])/g, 'js'))
  }
}

const writeConfig = (path: string, config: object) => writeFileSync(path, JSON.stringify(config))

function run(command: string[]): void {
  const { success, stdout, stderr } = Bun.spawnSync(command)
  if (!success) throw new Error(`The client's types cannot be built: ${stdout}${stderr}`)
}

const { values } = parseArgs({ options: { outdir: { type: 'string' } } })
const outdir = resolve(values.outdir ?? join(ROOT, 'dist/client'))
rmSync(outdir, { recursive: true, force: true })
await Bun.build({ entrypoints: [join(CLIENT, 'index.ts')], target: 'browser', outdir })
await writeDeclarations(outdir)
writeFileSync(join(outdir, 'package.json'), `${JSON.stringify(MANIFEST, undefined, 2)}\n`)
copyFileSync(join(ROOT, 'docs/client.md'), join(outdir, 'README.md'))
copyFileSync(join(ROOT, 'LICENSE'), join(outdir, 'LICENSE'))
