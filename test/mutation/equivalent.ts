/** Mutations that change nothing a client can observe, and the reason. */
export const EQUIVALENT: readonly { file: string; what: string; why: string }[] = []
