import { Database } from 'bun:sqlite'

/** Texts in quotes, and the parameters outside of them. */
const PARAMETERS = /'[^']*'|"[^"]*"|\?/g

/** Returns a statement whose parameters are expressions: +? has the value and the type of ?. */
const plannedOnce = (text: string): string =>
  text.replace(PARAMETERS, (found) => (found === '?' ? '+?' : found))

/**
 * Database that plans each prepared statement once. SQLite may look at the value of a parameter while it plans, and then
 * plans the statement anew after each binding, which takes longer than most of ours run (`sqlite3VdbeSetVarmask`; the
 * guarantee against it, https://sqlite.org/queryplanner-ng.html#qpsg, cannot be turned on here). It looks at no expression.
 */
export class PlannedOnce extends Database {
  override prepare: Database['prepare'] = (text, ...parameters) =>
    super.prepare(plannedOnce(text), ...parameters)
}
