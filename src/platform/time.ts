export const DAY_MS = 86_400_000

/** A time in ISO 8601, in UTC and with milliseconds. */
export const iso = (epochMs: number): string => new Date(epochMs).toISOString()

/** As `iso`, of what may not have happened yet. */
export const isoOrNull = (epochMs: number | null): string | null => (epochMs === null ? null : iso(epochMs))

/** The UTC day of a time, `YYYY-MM-DD`. */
export const utcDay = (epochMs: number): string => iso(epochMs).slice(0, 10)
