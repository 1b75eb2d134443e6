/** What of an upload decides with which others it goes. */
export interface Batchable {
  file: { name: string; size: number }
  folder: string
  /** Those of one number are sent together: halves of a batch that was refused as a whole. */
  group?: number
}

/** Files in one request. The server takes 100 unless it is told otherwise. */
const MAX_FILES = 20
/** Bytes in one request of several files. */
const MAX_BYTES = 8 * 1024 ** 2
/** Larger files go alone: they are long on their way, and others should not fail with them. */
const SMALL_BYTES = 1024 ** 2

/**
 * The files that go next: the first that waits, with small ones for the same folder. A request for each would
 * soon be more than a server lets one client make in a minute.
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
    // A request that carries a name twice is refused.
    if (
      folder !== first.folder ||
      upload.group !== first.group ||
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

/** How much of each file has left when `sent` bytes of all have: they leave one after the other. */
export function shareOut(batch: readonly Batchable[], sent: number): number[] {
  let left = sent
  return batch.map(({ file }) => {
    const own = Math.min(file.size, left)
    left -= own
    return own
  })
}
