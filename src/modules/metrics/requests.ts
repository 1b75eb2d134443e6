import type { ResponseKind } from '../../api/route-facts.ts'

/** Requests of one kind with one status. */
export interface RequestCount {
  kind: ResponseKind
  status: number
  count: number
  /** Total time until the first byte of the responses. */
  milliseconds: number
}

export type RequestCounts = ReturnType<typeof createRequestCounts>

/** Counts responses since the start. Hosted files from the cache bypass it, because traffic counts them. */
export function createRequestCounts() {
  const counts = new Map<string, RequestCount>()
  return {
    answered: (kind: ResponseKind, status: number, milliseconds: number): void => {
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
