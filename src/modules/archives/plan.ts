import type { Context } from '../../access/context.ts'
import { refuseForNow } from '../../platform/errors.ts'
import type { PlacedFolder } from '../folders/walk.ts'
import type { ArchivedFile } from './archive.ts'

/** Files of one folder, by name, behind the folder itself. */
interface PlannedSlice {
  folder?: PlacedFolder
  files: ArchivedFile[]
}

/**
 * Entries of an archive between the walk that measures it and the sending. It is not read from a snapshot again: one
 * that waited for a slow client would keep the write-ahead log from being checkpointed.
 */
export class ArchivePlan {
  readonly #spool: ReturnType<Context['store']['createSpool']>
  readonly #encoder = new TextEncoder()

  constructor({ store }: Pick<Context, 'store'>) {
    this.#spool = store.createSpool()
  }

  /** @throws {Refusal} `unavailable` when there is no room for more of it. */
  async add(slice: PlannedSlice): Promise<void> {
    if (await this.#spool.append(this.#encoder.encode(`${JSON.stringify(slice)}\n`))) return
    throw refuseForNow(
      'There is no room to prepare an archive of so many files now, try again soon',
      undefined,
    )
  }

  /** Takes the slices, in the order in which they were added. */
  async *slices(): AsyncGenerator<PlannedSlice, void> {
    const decoder = new TextDecoder()
    let text = ''
    for (let bytes = await this.#spool.take(); bytes; bytes = await this.#spool.take()) {
      text += decoder.decode(bytes, { stream: true })
      const lines = text.split('\n')
      text = lines.pop() ?? ''
      // What `add` has written.
      for (const line of lines) yield JSON.parse(line) as PlannedSlice
    }
  }

  close(): void {
    void this.#spool.close()
  }
}
