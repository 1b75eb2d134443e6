import type { S3Client } from '../s3/client.ts'
import { refusing } from '../s3/error.ts'
import { isBlobId, type StoredBlob } from './blob.ts'
import { type BlobSource, ReadBudget, RemoteBlob } from './remote-blob.ts'

/** Reads blobs from the object store alone, without copies on the local disk. */
export class BlobReader {
  readonly #client: S3Client
  readonly #keys: string
  readonly #budget = new ReadBudget()

  /** @param prefix Beginning of all keys, such as `files/`; may be empty. */
  constructor(client: S3Client, prefix: string) {
    this.#client = client
    this.#keys = `${prefix}blobs/`
  }

  /** Lists all objects of blobs by id, after an id. @throws {Refusal} `unavailable`. */
  async *list(after = ''): AsyncGenerator<StoredBlob & { lastModified: number }> {
    const listed = this.#client.list(this.#keys, after && this.#keys + after)
    for (let next = await refusing(listed.next()); !next.done; next = await refusing(listed.next())) {
      const { key, size, lastModified } = next.value
      const id = key.slice(this.#keys.length)
      if (isBlobId(id)) yield { id, size, lastModified }
    }
  }

  /** Returns the length of an object; `undefined` when there is none. @throws {Refusal} `unavailable`. */
  async sizeOf(id: string): Promise<number | undefined> {
    const found = await refusing(this.#client.head(this.keyOf(id)))
    // A HEAD does not distinguish a missing object from a missing bucket.
    if (!found) await refusing(this.#client.read(this.keyOf(id), { first: 0, last: 0 }, 1))
    return found?.size
  }

  /**
   * Opens a blob; `undefined` when there is no object.
   *
   * @throws {Refusal} `unavailable`, also when the object has another size.
   */
  async open(blob: StoredBlob): Promise<RemoteBlob | undefined> {
    const source = this.sourceOf(blob.id)
    if (blob.size === 0)
      return (await this.sizeOf(blob.id)) === undefined ? undefined : new RemoteBlob(source, blob)
    // A HEAD would not distinguish a missing object from a missing bucket.
    const probe = await refusing(this.#client.read(source.key, { first: 0, last: 0 }, blob.size))
    return probe && new RemoteBlob(source, blob)
  }

  sourceOf(id: string): BlobSource {
    return { client: this.#client, key: this.keyOf(id), budget: this.#budget }
  }

  keyOf(id: string): string {
    return this.#keys + id
  }

  /** Returns the id of the blob at a key. */
  idOf(key: string): string {
    return key.slice(this.#keys.length)
  }
}
