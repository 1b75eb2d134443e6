import type { RigOptions, Tally } from '../support/tally.ts'
import { Actor } from './actor.ts'
import type { Bench } from './bench.ts'
import type { ErrorName } from './control.ts'
import { inspect, readState } from './inspect.ts'
import { contentOf, type Operation, uploadOf } from './operations.ts'
import type { World } from './world.ts'

/** Number of writes that fail. strace counts them for each thread. */
const FIRST_WRITES = 4
const ERRORS: readonly ErrorName[] = ['ENOSPC', 'EIO', 'EDQUOT']

/**
 * Fails writes of an upload's bytes. The server must respond with 507 or 500 and leave no files. strace fails the
 * writes, because the runtime bypasses libc and so the shim.
 */
export async function failDataWrites(
  bench: Bench,
  tally: Tally,
  { isDeep, seed }: RigOptions,
): Promise<void> {
  if (!Bun.which('strace')) return tally.skip('data writes: strace is missing: apt install strace')
  const world = await bench.startWorld()
  const actor = new Actor('home', seed)
  actor.adopt(readState(world))
  await actor.furnish(world, world.account)
  const violations: string[] = []
  let positions = 0
  for (const error of isDeep ? ERRORS : ERRORS.slice(0, 2)) {
    for (let nth = 1; nth <= (isDeep ? FIRST_WRITES : 1); nth++) {
      for (const when of [`${nth}`, `${nth}+`]) {
        positions += 1
        const found = await failWrites({ world, actor }, error, when)
        violations.push(...found.map((violation) => `${error} at ${when}: ${violation}`))
      }
    }
  }
  await world.remove()
  tally.add('data writes', positions, violations)
}

/** Returns an upload of three files of several writes each. */
function largeUpload(actor: Actor): Operation {
  const scene = actor.scene()
  const files = Array.from({ length: 3 }, () => {
    const name = scene.fresh('large')
    return { name, content: contentOf(name, scene.chance).padEnd(1024 ** 2, name) }
  })
  return uploadOf(scene, scene.home, files, 'public')
}

async function failWrites(
  { world, actor }: { world: World; actor: Actor },
  error: ErrorName,
  when: string,
): Promise<string[]> {
  const operation = largeUpload(actor)
  const tracer = Bun.spawn(
    ['strace', '-f', '-p', String(world.pid), '-o', '/dev/null', '-e', 'trace=pwritev,pwritev2', '-e'].concat(
      `inject=pwritev,pwritev2:error=${error}:when=${when}`,
    ),
    { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' },
  )
  // strace reports when it has attached to every thread.
  for await (const chunk of tracer.stderr) if (Buffer.from(chunk).includes('attached')) break
  const outcome = await actor.perform(world, world.account, operation)
  // strace detaches from the server, which continues.
  tracer.kill('SIGINT')
  await tracer.exited
  const right = error === 'EIO' ? 500 : 507
  const problems = outcome === 200 || outcome === right ? [] : [`the upload got ${outcome}`]
  if (outcome === 200 && when === '1+') problems.push('no write failed')
  const again = await actor.perform(world, world.account, largeUpload(actor))
  if (again !== 200) problems.push(`an upload afterwards got ${again}`)
  await world.reboot()
  const { state, violations } = await inspect(world, world.account)
  return [...problems, ...violations, ...actor.check(state)]
}
