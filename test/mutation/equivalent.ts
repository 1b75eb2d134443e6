/** Mutations that change nothing a client can observe, and the reason. */
export const EQUIVALENT: readonly { file: string; what: string; why: string }[] = [
  {
    file: 'src/transport/head.ts',
    what: 'targetEnd < targetStart -> <=',
    why: 'An empty target is refused as malformed either way.',
  },
  {
    file: 'src/volume/stored-file.ts',
    what: 'if (idle.length < MAX_IDLE) idle.push(buffer) -> !(idle.length < MAX_IDLE)',
    why: 'A pool that stays empty only costs time.',
  },
]
