/** Which limits and headers a request belongs to. */
export type RequestKind = 'app' | 'hosting' | 'download' | 'upload'

/** Requests of one kind that got one status. */
export interface RequestCount {
  kind: RequestKind
  status: number
  count: number
  /** Until the answer's first byte, together. */
  milliseconds: number
}

export type RequestCounts = ReturnType<typeof createRequestCounts>

/** Counts answers since the start. Hosted files that are answered from memory pass it by: traffic has them. */
export function createRequestCounts() {
  const counts = new Map<string, RequestCount>()
  return {
    answered: (kind: RequestKind, status: number, milliseconds: number): void => {
      const name = `${kind} ${status}`
      const known = counts.get(name)
      if (!known) {
        counts.set(name, { kind, status, count: 1, milliseconds })
        return
      }
      known.count += 1
      known.milliseconds += milliseconds
    },
    all: (): RequestCount[] => [...counts.values()],
  }
}
