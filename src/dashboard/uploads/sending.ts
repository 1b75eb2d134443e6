import type { Visibility } from '../../client/index.ts'

/** Files on their way to one folder. */
export interface Sending {
  files: File[]
  /** Object key of the target folder, created when missing. */
  folder: string
  /** Ids of the files that these replace, one for each, or none. */
  replaces: readonly string[]
  /** Visibility of new files. Replaced ones retain theirs. */
  visibility: Visibility | undefined
  signal: AbortSignal
  /** Called with the bytes that have been sent. */
  onProgress: (bytes: number) => void
  /** Called before a pause, after which the request is repeated. */
  onRetry: () => void
}
