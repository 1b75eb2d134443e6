import { join } from 'node:path'

/** Starts or stops PostgreSQL and Ceph as plain processes. @throws when one does not follow. */
export function turnEngines(direction: 'up' | 'down'): void {
  for (const engine of ['postgres', 'ceph']) {
    const script = join(import.meta.dir, `${engine}.sh`)
    const { success } = Bun.spawnSync(['bash', script, direction], { stdout: 'inherit', stderr: 'inherit' })
    if (!success) throw new Error(`"${engine}.sh ${direction}" failed`)
  }
}
