export const DAY_MS = 86_400_000

/** Formats a time as ISO 8601, in UTC and with milliseconds. */
export const iso = (epochMs: number): string => new Date(epochMs).toISOString()

/** Formats a time as `iso` does; `null` for an event that has not happened. */
export const isoOrNull = (epochMs: number | null): string | null => (epochMs === null ? null : iso(epochMs))

/** Returns the UTC day of a time, `YYYY-MM-DD`. */
export const utcDay = (epochMs: number): string => iso(epochMs).slice(0, 10)
