import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { compile, TARGETS } from './binary.ts'

/** Builds the dashboard, the client and the binaries into `dist/`. */

const ROOT = join(import.meta.dir, '../..')

/** Runs another script of this folder. */
function build(script: string, ...args: string[]): void {
  const { success, stdout, stderr } = Bun.spawnSync([
    process.execPath,
    join(import.meta.dir, script),
    ...args,
  ])
  // A build whose first load is too large prints the size of each file.
  if (!success) throw new Error(`${script} failed: ${stdout}${stderr}`)
}

const { values } = parseArgs({ options: { target: { type: 'string', multiple: true } } })
const outdir = join(ROOT, 'dist')
const names = values.target ?? ['']
const unknown = names.find((name) => name !== '' && !TARGETS[name])
if (unknown !== undefined)
  throw new Error(`There is no target "${unknown}". There are: ${Object.keys(TARGETS).join(', ')}`)
build('dashboard.ts')
build('client.ts', '--outdir', join(outdir, 'client'))
for (const name of names) {
  const outfile = join(outdir, name === '' ? 'holdfast' : `holdfast-${name}`)
  await compile(outfile, TARGETS[name])
  const mebibytes = Math.round(Bun.file(outfile).size / 1024 ** 2)
  console.log(`${relative(process.cwd(), outfile)}: ${mebibytes} MiB`)
}
