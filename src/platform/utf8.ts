import { isAscii, isUtf8 } from 'node:buffer'

const NOTHING = new Uint8Array(0)

/** Check of a text that arrives in chunks: whether it is valid UTF-8 with more than ASCII, so that its charset matters. */
export class Utf8Check {
  #isValid = true
  #isAscii = true
  /** Beginning of a character that the last chunk broke off. */
  #rest: Uint8Array = NOTHING

  /** Consumes the next bytes. */
  update(chunk: Uint8Array): void {
    if (!this.#isValid || (this.#rest.length === 0 && isAscii(chunk))) return
    this.#isAscii = false
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const end = endOfCharacters(bytes)
    this.#isValid = isUtf8(bytes.subarray(0, end))
    this.#rest = end === bytes.length ? NOTHING : bytes.slice(end)
  }

  /** Returns the outcome for everything consumed. */
  end(): boolean {
    return this.#isValid && !this.#isAscii && this.#rest.length === 0
  }
}

/** Returns the end of the last character that is not broken off. */
function endOfCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) break
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 0
    if (length > back) return bytes.length - back
    if (length > 0) break
  }
  return bytes.length
}
