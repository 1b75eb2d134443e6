import { explainDamage, REBUILD_ADVICE } from '../catalog/damage.ts'
import { type ReadableCatalog, readCatalog } from '../catalog/open.ts'
import type { Config } from '../platform/config.ts'
import type { Log } from '../platform/log.ts'
import { assertOnDisk } from '../store/instance.ts'
import { verify } from '../store/verify.ts'
import { verifyTrash } from '../store/verify-trash.ts'
import { verifyVersions } from '../store/verify-versions.ts'
import { findLayout, type VolumePaths } from '../volume/layout.ts'
import { Volume } from '../volume/volume.ts'

interface VerifyCommand {
  /** True to read every file and compare its SHA-256. */
  deep: boolean
  log: Log
}

/**
 * Runs `verify`: prints every difference between the volume and the catalog, and inconsistencies of the
 * catalog itself.
 *
 * @returns The exit code: 0 without differences, 1 otherwise.
 * @throws {StartError} when there is no catalog to compare with.
 */
export async function runVerify(config: Config, command: VerifyCommand): Promise<number> {
  const paths = findLayout(config.dataPath)
  const catalog = readCatalog(paths.database)
  try {
    const differences = await printDifferences({ paths, catalog }, command)
    command.log.info(differences === 0 ? 'Volume and catalog agree' : `${differences} difference(s)`)
    return differences === 0 ? 0 : 1
  } catch (error) {
    throw explainDamage(error)
  } finally {
    catalog.close()
  }
}

/** Prints each difference and returns their number. */
async function printDifferences(
  { paths, catalog }: { paths: VolumePaths; catalog: ReadableCatalog },
  { deep, log }: VerifyCommand,
): Promise<number> {
  const { check } = catalog
  const damage = await check.damage()
  const wrong = [
    ...damage.map((line) => `The database is damaged: ${line}`),
    ...(await check.dangling()).map(
      ({ table, parent, count }) => `${count} row(s) of "${table}" refer to no row of "${parent}"`,
    ),
    ...(await check.wrongTotals()).map((total) => `The running total "${total}" is not what a recount gives`),
  ]
  for (const line of wrong) log.info(line)
  if (damage.length > 0) log.info(REBUILD_ADVICE)
  await assertOnDisk(catalog, 'verify')
  let count = wrong.length
  const volume = new Volume(paths)
  for await (const { key, problem } of verify({ catalog, volume, deep })) {
    count += 1
    log.info(`${JSON.stringify(key)}: ${problem}`)
  }
  for await (const { key, problem } of verifyVersions({ catalog, volume, deep })) {
    count += 1
    log.info(`${JSON.stringify(key)}: ${problem}`)
  }
  for await (const { key, problem } of verifyTrash({ catalog, volume, deep })) {
    count += 1
    log.info(`${JSON.stringify(key)}: ${problem}`)
  }
  return count
}
