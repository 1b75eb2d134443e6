import { objectStoreOf } from '../blobs/open.ts'
import type { ReadableCatalog } from '../catalog/catalog.ts'
import { explainDamage, REBUILD_ADVICE } from '../catalog/sqlite/damage.ts'
import { count as countOf } from '../platform/amounts.ts'
import type { Config } from '../platform/config.ts'
import type { Services } from '../platform/platform.ts'
import { verify, verifyTrash, verifyVersions } from '../store/folder/verify.ts'
import { assertOnDisk, objectStoreNameOf } from '../store/instance.ts'
import { verifyBlobs } from '../store/objects/verify.ts'
import { findLayout } from '../volume/layout.ts'
import { Volume } from '../volume/volume.ts'
import { asStartError, openToRead } from './open-catalog.ts'

interface VerifyCommand extends Services {
  /** True to read every file and compare its SHA-256. */
  deep: boolean
}

/**
 * Runs `verify`: prints every difference between the volume and the catalog, and inconsistencies of the
 * catalog itself.
 *
 * @returns The exit code: 0 without differences, 1 otherwise.
 * @throws {StartError} when there is no catalog to compare with.
 */
export async function runVerify(config: Config, command: VerifyCommand): Promise<number> {
  const catalog = await openToRead(config, command.clock)
  try {
    const wrong = await printInconsistencies(catalog, command)
    const store = config.objectStore && objectStoreOf(config.objectStore, command)
    const isThere = store !== undefined && store.name === (await objectStoreNameOf(catalog))
    const differences = isThere
      ? await print(verifyBlobs({ ...command, catalog, objects: store.reader() }), command)
      : await printDifferences(config, catalog, command)
    const count = wrong + differences
    const volume = isThere ? 'Object store' : 'Volume'
    command.log.info(count === 0 ? `${volume} and catalog agree` : countOf(count, 'difference'))
    return count === 0 ? 0 : 1
  } catch (error) {
    throw explainDamage(asStartError(error))
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
      ({ table, parent, count }) => `${countOf(count, 'row')} of "${table}" refer to no row of "${parent}"`,
    ),
    ...(await check.wrongTotals()).map((total) => `The running total "${total}" is not what a recount gives`),
  ]
  for (const line of wrong) log.info(line)
  if (damage.length > 0) log.info(REBUILD_ADVICE)
  return wrong.length
}

/** Prints each difference, and returns their number. */
async function print(
  differences: AsyncIterable<{ key: string; problem: string }>,
  { log }: VerifyCommand,
): Promise<number> {
  let count = 0
  for await (const { key, problem } of differences) {
    count += 1
    log.info(`${JSON.stringify(key)}: ${problem}`)
  }
  return count
}

/** Prints each difference between the data folder and the catalog, and returns their number. */
async function printDifferences(
  { dataPath }: Config,
  catalog: ReadableCatalog,
  command: VerifyCommand,
): Promise<number> {
  await assertOnDisk(catalog)
  const { deep } = command
  const volume = new Volume(findLayout(dataPath))
  let count = 0
  for (const look of [verify, verifyVersions, verifyTrash])
    count += await print(look({ catalog, volume, deep }), command)
  return count
}
