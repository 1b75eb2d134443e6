import { readCatalog } from './catalog/open.ts'
import type { Config } from './config.ts'
import type { Log } from './deps.ts'
import { verify } from './storage/verify.ts'
import { findLayout } from './volume/layout.ts'
import { openVolume } from './volume/open.ts'

/**
 * The command `verify`: prints every difference between the volume and the catalog.
 *
 * @returns The exit code: 0 when they agree, 1 when not.
 * @throws {StartError} when there is no catalog to compare with.
 */
export async function runVerify(config: Config, { deep, log }: { deep: boolean; log: Log }): Promise<number> {
  const paths = findLayout(config.dataPath)
  const catalog = readCatalog(paths.database)
  let differences = 0
  for await (const { key, problem } of verify({ catalog, volume: openVolume(paths), deep })) {
    differences += 1
    log.info(`${JSON.stringify(key)}: ${problem}`)
  }
  catalog.close()
  log.info(differences === 0 ? 'Volume and catalog agree' : `${differences} difference(s)`)
  return differences === 0 ? 0 : 1
}
