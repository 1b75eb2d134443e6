import type { Blobs } from '../blobs/blobs.ts'
import { objectStoreOf } from '../blobs/open.ts'
import { explainDamage, REBUILD_ADVICE } from '../catalog/damage.ts'
import { type ReadableCatalog, readCatalog } from '../catalog/open.ts'
import type { Clock } from '../platform/clock.ts'
import type { Config } from '../platform/config.ts'
import type { Log } from '../platform/log.ts'
import type { Random } from '../platform/random.ts'
import { assertOnDisk, objectStoreNameOf } from '../store/instance.ts'
import { compareBlobs } from '../store/objects/compare.ts'
import { findKey } from '../store/target.ts'
import { verify } from '../store/verify.ts'
import { verifyTrash } from '../store/verify-trash.ts'
import { verifyVersions } from '../store/verify-versions.ts'
import { findLayout, type VolumePaths } from '../volume/layout.ts'
import { Volume } from '../volume/volume.ts'

interface VerifyCommand {
  /** True to read every file and compare its SHA-256. */
  deep: boolean
  clock: Clock
  random: Random
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
    const wrong = await printInconsistencies(catalog, command)
    const store = config.objectStore && objectStoreOf(config.objectStore, command)
    const isThere = store !== undefined && store.name === (await objectStoreNameOf(catalog))
    const differences = isThere
      ? await printBlobs({ catalog, blobs: store }, command)
      : await printDifferences({ paths, catalog }, command)
    const count = wrong + differences
    const volume = isThere ? 'Object store' : 'Volume'
    command.log.info(count === 0 ? `${volume} and catalog agree` : `${count} difference(s)`)
    return count === 0 ? 0 : 1
  } catch (error) {
    throw explainDamage(error)
  } finally {
    catalog.close()
  }
}

/** Prints inconsistencies of the catalog and returns their number. */
async function printInconsistencies({ check }: ReadableCatalog, { log }: VerifyCommand): Promise<number> {
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
  return wrong.length
}

/** Prints differences between the objects of a store and the catalog, and returns their number. */
async function printBlobs(
  { catalog, blobs }: { catalog: ReadableCatalog; blobs: Pick<Blobs, 'list'> },
  { clock, log }: VerifyCommand,
): Promise<number> {
  let count = 0
  for await (const { id, problem } of compareBlobs({ catalog, blobs, clock })) {
    const [file] = await catalog.files.byBlobs([id])
    const key = file && catalog.now(findKey(catalog, file))
    count += 1
    log.info(`${JSON.stringify(key ?? `blobs/${id}`)}: ${problem}`)
  }
  return count
}

/** Prints each difference between the data folder and the catalog, and returns their number. */
async function printDifferences(
  { paths, catalog }: { paths: VolumePaths; catalog: ReadableCatalog },
  { deep, log }: VerifyCommand,
): Promise<number> {
  await assertOnDisk(catalog, 'verify')
  let count = 0
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
