import type { Connection } from './connection.ts'

/** Settings and standbys that decide when a commit is acknowledged. Another account than its own sees no `sync_state`. */
const READ = `SELECT current_setting('synchronous_commit'),
  count(*) FILTER (WHERE sync_state = 'async'), count(*) FILTER (WHERE sync_state IN ('sync', 'quorum'))
  FROM pg_stat_replication`

/** Returns sentences about acknowledged changes that a crash or a fail-over of the server would lose. */
export async function durabilityAdvice(connection: Connection): Promise<string[]> {
  const { rows } = await connection.query(READ)
  const [commit, behind, synchronous] = rows[0] ?? []
  if (commit === 'off')
    return [
      'PostgreSQL has synchronous_commit off: a crash of it loses acknowledged changes. Turn it on, at least for this user',
    ]
  if (behind === 0 || (synchronous !== 0 && commit !== 'local')) return []
  return [
    'PostgreSQL does not wait for its standby: a fail-over loses acknowledged changes. Set synchronous_standby_names, and ' +
      'synchronous_commit to on',
  ]
}
