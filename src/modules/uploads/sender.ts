import type { Admission } from '../../reception/arriving.ts'
import type { StagedFile } from '../../store/bytes.ts'
import type { ResumableRow, Work } from '../../store/rows.ts'

/** Client's description of a new upload. */
export type Announcement = Pick<ResumableRow, 'name' | 'folder' | 'visibility' | 'metadata' | 'length'>

/** Complete upload. */
export interface Arrived {
  row: ResumableRow
  staged: StagedFile
  /** Time until which the result is reported. */
  expiresAt: number
  recorded: number | undefined
}

/** Work whose failure may be part of a history. */
export interface Attempt {
  /** Returns the names once they are known. */
  names: () => string[]
  /** Converts an error to a refusal in terms of the request. */
  toRefusal: (error: unknown) => unknown
  /** True if an interrupted body may be continued. */
  canGoOn: boolean
}

/** Sender of an upload: an account, or a visitor of a share. */
export interface Sender {
  /** Columns that tell its uploads from those of others. */
  readonly identity: Pick<ResumableRow, 'userId' | 'keyId' | 'shareId' | 'visitor' | 'address'>
  /** Lifetime of an upload before its first byte, in milliseconds. */
  readonly patienceMs: number
  /** Reads name and target of a new upload. @throws {Refusal} `invalid`, `not-found`, `unsupported-media-type`. */
  announce: (
    metadata: ReadonlyMap<string, string>,
  ) => Promise<Pick<Announcement, 'name' | 'folder' | 'visibility'>>
  /** Refuses an upload whose place the sender no longer reaches. @throws {Refusal} `not-found`. */
  assertReached: (row: ResumableRow) => Promise<void>
  /** Authorizes a new upload within its transaction. @throws {Refusal} */
  authorize: (announced: Announcement) => Work<void>
  /** Refuses an upload that could not be published now, before its bytes are sent. @throws {Refusal} */
  assertPublishable: (upload: Omit<Announcement, 'length'>) => Promise<void>
  /** Returns the admission of the bytes of an upload. */
  admission: (row: ResumableRow) => Promise<Admission>
  /** Publishes a complete upload and authorizes it again. @throws {Refusal} */
  publish: (arrived: Arrived) => Promise<void>
  /** Runs `receive` and records its failure where the sender has a history. */
  recordFailure: <Answer>(attempt: Attempt, receive: () => Promise<Answer>) => Promise<Answer>
}
