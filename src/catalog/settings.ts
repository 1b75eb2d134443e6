import type { Db } from './db.ts'
import { settings } from './schema.ts'

/** Queries of the catalog's settings, one row each. */
export function settingQueries(db: Db) {
  return {
    all: (): Record<string, unknown> =>
      Object.fromEntries(
        db
          .select()
          .from(settings)
          .all()
          .map(({ name, value }) => [name, value]),
      ),
    /** Adds the settings that have no row yet. The others keep their values. */
    fill: (values: Record<string, unknown>): void => {
      for (const [name, value] of Object.entries(values)) {
        db.insert(settings).values({ name, value }).onConflictDoNothing().run()
      }
    },
    /** Changes settings. The others keep their values. */
    set: (values: Record<string, unknown>): void => {
      for (const [name, value] of Object.entries(values)) {
        if (value === undefined) continue
        db.insert(settings)
          .values({ name, value })
          .onConflictDoUpdate({ target: settings.name, set: { value } })
          .run()
      }
    },
  }
}
