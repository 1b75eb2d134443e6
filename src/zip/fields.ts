/**
 * Writer of a record, field by field. Numbers are unsigned and little-endian.
 *
 * Throws a `RangeError` for a number that its field cannot hold, and for a field past the end of the record.
 */
export class Fields {
  readonly #buffer: Buffer
  #position = 0

  /** @param length Length of the record in bytes. */
  constructor(length: number) {
    this.#buffer = Buffer.alloc(length)
  }

  /** Whole record; fields not yet written are zero. */
  get bytes(): Uint8Array {
    return this.#buffer
  }

  uint8(value: number): this {
    this.#position = this.#buffer.writeUInt8(value, this.#position)
    return this
  }

  uint16(...values: readonly number[]): this {
    for (const value of values) this.#position = this.#buffer.writeUInt16LE(value, this.#position)
    return this
  }

  uint32(...values: readonly number[]): this {
    for (const value of values) this.#position = this.#buffer.writeUInt32LE(value, this.#position)
    return this
  }

  /** @param values At most `Number.MAX_SAFE_INTEGER`. */
  uint64(...values: readonly number[]): this {
    for (const value of values) this.#position = this.#buffer.writeBigUInt64LE(BigInt(value), this.#position)
    return this
  }

  append(bytes: Uint8Array): this {
    this.#buffer.set(bytes, this.#position)
    this.#position += bytes.length
    return this
  }
}
