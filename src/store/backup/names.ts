/** Matches names given by backups: the time of the snapshot with `-` in place of `:`. */
const DATED = /^(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d\.\d{3}Z)$/

/** Returns true for a name given by a backup. A snapshot renamed by hand is retained. */
export const isDated = (name: string) => DATED.test(name)

/** Returns the newest snapshot: one renamed by hand counts only when there is no other. */
export const newestOf = (snapshots: readonly string[]): string | undefined =>
  snapshots.findLast(isDated) ?? snapshots.at(-1)

/**
 * Names a snapshot made at `now` so that it sorts after all earlier ones. When the clock was set back, its
 * name is a millisecond later than the newest, because `restore` and `--keep` go by the order of names.
 *
 * @param snapshots Names of the earlier ones, oldest first.
 */
export function nextName(snapshots: readonly string[], now: number): string {
  const newest = snapshots.findLast(isDated)
  const newestAt = newest === undefined ? 0 : Date.parse(newest.replace(DATED, '$1$2:$3:$4'))
  return new Date(Math.max(now, newestAt + 1)).toISOString().replaceAll(':', '-')
}
