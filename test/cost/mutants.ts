import type { SourceChange } from '../support/mutant.ts'

/** Mutations of the server. On each an element must exceed a limit. */
export const MUTANTS: readonly SourceChange[] = [
  {
    name: 'a body in chunks may have any framing',
    file: 'src/transport/chunked.ts',
    text: 'if (this.#framingBytes > MAX_FREE_FRAMING_BYTES + this.#dataBytes) throw new MalformedBody()',
    replacement: '',
  },
]
