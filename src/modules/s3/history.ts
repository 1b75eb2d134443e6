import type { Context } from '../../access/context.ts'
import { type ActivityType, recordOutcome } from '../../access/history.ts'
import { describeNames } from '../../platform/names.ts'
import type { KeyRow } from '../../store/rows.ts'

type S3Activity = Extract<
  ActivityType,
  'upload.succeeded' | 'upload.failed' | 'file.replaced' | 'file.deleted' | 'file.copied'
>

/** Maximum names of one entry: more of them are several entries. */
const MAX_NAMES = 10_000

interface Entry {
  userId: string
  type: S3Activity
  names: string[]
}

/**
 * Entries of the history for changes by the S3 API, one for each API key, kind and minute: a backup makes thousands of
 * requests.
 */
export class S3History {
  readonly #deps: Context
  readonly #entries = new Map<string, Entry>()

  constructor(deps: Context) {
    this.#deps = deps
  }

  note({ id, userId }: Pick<KeyRow, 'id' | 'userId'>, type: S3Activity, name: string): void {
    const at = `${type} ${id}`
    const entry = this.#entries.getOrInsert(at, { userId, type, names: [] })
    entry.names.push(name)
    if (entry.names.length < MAX_NAMES) return
    this.#entries.delete(at)
    void this.#write(entry)
  }

  /** Writes the entries of the last minute. */
  async flush(): Promise<void> {
    const entries = [...this.#entries.values()]
    this.#entries.clear()
    for (const entry of entries) await this.#write(entry)
  }

  #write({ userId, type, names }: Entry): Promise<void> {
    return recordOutcome(this.#deps, { userId, type, ...describeNames(names) })
  }
}
