import { StartError } from '../../platform/errors.ts'
import { VERSION } from '../../platform/version.ts'

/** Refuses a database that a newer version has migrated. @param name The database, as the beginning of a sentence. */
export function assertNotNewer(name: string, applied: number, known: number): void {
  if (applied > known)
    throw new StartError(
      `${name} was written by a newer version of Holdfast: it has ${applied} migrations, and ${VERSION} knows ${known}. Nothing was changed. Start the newer version, or restore the backup from before the upgrade.`,
    )
}
