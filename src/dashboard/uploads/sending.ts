/** Files on their way to one folder. */
export interface Sending {
  files: File[]
  /** Object key of the target folder, created when missing. */
  folder: string
  /** Id of the file whose bytes the only one replaces. */
  replaces?: string | undefined
  signal: AbortSignal
  /** Called with the bytes that have been sent. */
  onProgress: (bytes: number) => void
  /** Called before a pause, after which the request is repeated. */
  onRetry: () => void
}
