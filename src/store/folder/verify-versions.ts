import type { ReadableCatalog } from '../../catalog/catalog.ts'
import type { VersionRow } from '../../catalog/tree/versions.ts'
import type { Pace } from '../../volume/stored-file.ts'
import { isVersionId } from '../../volume/versions.ts'
import type { Volume } from '../../volume/volume.ts'
import { readPlan } from './plan.ts'
import { contentProblem, type FileProblem } from './verify.ts'

/** Rows in memory at once. */
const PAGE_ROWS = 1000

interface VerifyVersions {
  catalog: Pick<ReadableCatalog, 'versions' | 'intents'>
  volume: Volume
  /** Reads every version and compares its SHA-256; else only sizes are compared. */
  deep: boolean
}

/** Disagreement about a version; the key is its path in the data folder. */
interface VersionDifference {
  key: string
  id: string
  problem: FileProblem | 'not in the catalog'
}

/** Compares `versions/` with the catalog, as `verify` does with the tree. */
export async function* verifyVersions(options: VerifyVersions): AsyncGenerator<VersionDifference> {
  const { catalog, volume, deep } = options
  const names = volume.versions.names()
  for (let last = ''; ; ) {
    const page = await catalog.versions.after(last, PAGE_ROWS)
    for (const version of page) {
      const problem = await versionProblem(volume, version, { isRead: deep })
      if (problem && (await catalog.versions.byId(version.id)))
        yield { key: keyOf(version.id), id: version.id, problem }
    }
    if (page.length < PAGE_ROWS) break
    last = page.at(-1)?.id ?? ''
  }
  const underWay = await namesUnderWay(options)
  for (const name of names)
    if (!underWay.has(name) && !(await catalog.versions.byId(name)) && volume.versions.has(name))
      yield { key: keyOf(name), id: name, problem: 'not in the catalog' }
}

const keyOf = (id: string) => `versions/${id}`

/** Returns the problem with the bytes of a version. */
export async function versionProblem(
  volume: Volume,
  version: VersionRow,
  how: { isRead: boolean; pace?: Pace },
): Promise<FileProblem | undefined> {
  if (!isVersionId(version.id)) return 'name is not allowed'
  const opened = volume.versions.open(version.id)
  return opened ? contentProblem(opened, version, how) : 'bytes are missing'
}

/** Returns the names that replacements need which are not finished. */
async function namesUnderWay({ catalog }: VerifyVersions): Promise<Set<string>> {
  const plans = (await catalog.intents.all()).map(({ plan }) => plan)
  return new Set(plans.flatMap(versionIn))
}

function versionIn(stored: unknown): string[] {
  try {
    const plan = readPlan(stored)
    return plan.kind === 'replace' ? [plan.version] : []
  } catch {
    return []
  }
}
