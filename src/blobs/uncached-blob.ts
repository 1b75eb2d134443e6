import { CutShort } from '../volume/stored-file.ts'
import type { OpenedBlob, StoredBlob } from './blob.ts'
import { type BlobSource, RemoteBlob, SLICE_BYTES, streamOf } from './remote-blob.ts'

/** Blob that a long read fetches as a whole, for the cache. A short range is read from the object store alone. */
export class UncachedBlob extends RemoteBlob {
  readonly #openWhole: () => Promise<OpenedBlob | undefined>

  constructor(source: BlobSource, blob: StoredBlob, openWhole: () => Promise<OpenedBlob | undefined>) {
    super(source, blob)
    this.#openWhole = openWhole
  }

  override body(first: number, last: number): ReadableStream<Uint8Array<ArrayBuffer>> {
    return last - first < SLICE_BYTES ? super.body(first, last) : streamOf(this.#fetched(first, last))
  }

  async *#fetched(first: number, last: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    const opened = await this.#openWhole()
    if (!opened) throw new CutShort()
    const body = opened.body(first, last)
    if (body instanceof ReadableStream) yield* body
    else yield body
  }
}
