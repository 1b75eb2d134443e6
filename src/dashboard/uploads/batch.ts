/** Properties of an upload that decide about its batch. */
export interface Batchable {
  file: { name: string; size: number }
  folder: string
  /** Id of the file that it replaces. Replacements travel together. */
  replaces?: string
  visibility?: string | undefined
  /** Number of a group that is sent together: half of a batch that was refused as a whole. */
  group?: number
}

/** Maximum files in one request. The server's default limit is 100. */
const MAX_FILES = 20
/** Maximum bytes in one request of several files. */
const MAX_BYTES = 8 * 1024 ** 2
/** Maximum bytes of a file in a batch. A larger one takes long, and others should not fail with it. */
const SMALL_BYTES = 1024 ** 2

/**
 * Returns the files to send next: the first in the queue, with small ones for the same folder. One request per file
 * would exceed the rate limit.
 */
export function takeBatch<Upload extends Batchable>(waiting: readonly Upload[]): Upload[] {
  const [first] = waiting
  if (!first) return []
  if (!isSmall(first)) return [first]
  const batch: Upload[] = []
  const names = new Set<string>()
  let bytes = 0
  for (const upload of waiting) {
    const { folder, file } = upload
    const fits = bytes + file.size <= MAX_BYTES
    // The server refuses a request with the same name twice.
    if (
      folder !== first.folder ||
      upload.group !== first.group ||
      upload.visibility !== first.visibility ||
      isReplacement(upload) !== isReplacement(first) ||
      !isSmall(upload) ||
      !fits ||
      names.has(file.name)
    )
      continue
    batch.push(upload)
    names.add(file.name)
    bytes += file.size
    if (batch.length === MAX_FILES) break
  }
  return batch
}

const isSmall = ({ file }: Batchable) => file.size <= SMALL_BYTES

const isReplacement = ({ replaces }: Batchable) => replaces !== undefined

/** Returns the bytes sent of each file when `sent` bytes of the request have left. Files leave one after the other. */
export function shareOut(batch: readonly Batchable[], sent: number): number[] {
  let left = sent
  return batch.map(({ file }) => {
    const own = Math.min(file.size, left)
    left -= own
    return own
  })
}

/** Milliseconds over which the speed is averaged: long enough to be steady, short enough to be current. */
const WINDOW_MS = 4000

/** Returns a meter of the recent transfer speed. */
export function measureSpeed(now: () => number = () => performance.now()) {
  let samples: { at: number; bytes: number }[] = []
  return {
    add: (bytes: number): void => {
      const at = now()
      samples = [...samples.filter((sample) => at - sample.at < WINDOW_MS), { at, bytes }]
    },
    /** Returns bytes per second; 0 while nothing moves. */
    current: (): number => {
      const at = now()
      const recent = samples.filter((sample) => at - sample.at < WINDOW_MS)
      const [first] = recent
      if (!first) return 0
      const bytes = recent.reduce((sum, sample) => sum + sample.bytes, 0)
      return (bytes * 1000) / Math.max(at - first.at, 500)
    },
  }
}
