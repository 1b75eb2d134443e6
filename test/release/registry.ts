import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../src/build/packaging/archive.ts'

/** Version, the day of its dependencies, and the version of one in place of another that was never published. */
const VERDACCIO = { version: '6.8.0', before: '2026-10-01', overrides: { 'node-fetch': '2.7.0' } }

/** Serves what is published to it, and nothing of other registries. */
const SCRIPT = `require('verdaccio').runServer({
  configPath: __dirname, storage: 'storage', uplinks: {}, auth: {}, web: { enable: false }, max_body_size: '1gb',
  log: { type: 'stdout', level: 'fatal' }, packages: { '**': { access: '$all', publish: '$all' } },
}).then((app) => app.listen(0, '127.0.0.1', function () { console.log(this.address().port) }))`

/** Installs and starts a registry for npm packages in an empty folder. */
export async function startRegistry(folder: string): Promise<{ url: string; stop: () => Promise<unknown> }> {
  const { version, before, overrides } = VERDACCIO
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ dependencies: { verdaccio: version }, overrides }),
  )
  writeFileSync(join(folder, 'start.cjs'), SCRIPT)
  run(['npm', 'install', `--before=${before}`, '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
  })
  const child = Bun.spawn(['node', 'start.cjs'], { cwd: folder, stdout: 'pipe', stderr: 'ignore' })
  const { value } = await child.stdout.getReader().read()
  const port = Number(Buffer.from(value ?? []).toString())
  if (!port) throw new Error('The registry has not started.')
  return {
    url: `http://127.0.0.1:${port}/`,
    stop: () => {
      child.kill()
      return child.exited
    },
  }
}
