import type { Connection } from './connection.ts'
import { PostgresFailure } from './failure.ts'

/** Maximum time of such a change, and of the attempts at its locks, in milliseconds. */
const CHANGE_MS = 3_600_000
/** Maximum time to wait for the lock of a table, in milliseconds. */
const LOCK_MS = 500
/** Time between two attempts, in milliseconds: other servers catch up meanwhile. */
const PAUSE_MS = 2000

/**
 * Runs statements that change tables, in one transaction, beside servers that use them. A lock that waits for a backup or a
 * long list makes each later query of that table wait behind it, so the transaction gives up soon and tries again.
 */
export async function changeTables(connection: Connection, text: string): Promise<void> {
  for (let waited = 0; ; waited += LOCK_MS + PAUSE_MS) {
    try {
      return await connection.script(
        `BEGIN; SET LOCAL lock_timeout = ${LOCK_MS};\n${text};\nCOMMIT`,
        CHANGE_MS,
      )
    } catch (error) {
      if (!isLocked(error) || waited >= CHANGE_MS) throw error
      await Bun.sleep(PAUSE_MS)
    }
  }
}

const isLocked = (error: unknown): boolean => error instanceof PostgresFailure && error.code === '55P03'
