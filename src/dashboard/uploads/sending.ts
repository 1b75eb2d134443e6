/** Files on their way to one folder. */
export interface Sending {
  files: File[]
  /** The key of the folder they go to; missing folders are made. */
  folder: string
  signal: AbortSignal
  /** Told how many bytes of the files have left. */
  onProgress: (bytes: number) => void
  /** Told that nothing is sent for a while, after which it is tried again. */
  onRetry: () => void
}
