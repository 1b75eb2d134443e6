import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DrizzleSnapshotJSON, generateDrizzleJson, generateMigration } from 'drizzle-kit/api'
import { writeList } from '../list.ts'
import { postgresTables } from './schema.ts'

const SNAPSHOT = join(import.meta.dir, 'meta/snapshot.json')

/** Returns the statements that bring PostgreSQL's last migration to the schema, and the schema's snapshot. */
export async function changes(): Promise<{ statements: string[]; snapshot: DrizzleSnapshotJSON }> {
  const last: DrizzleSnapshotJSON = existsSync(SNAPSHOT)
    ? JSON.parse(readFileSync(SNAPSHOT, 'utf8'))
    : generateDrizzleJson({})
  const snapshot = generateDrizzleJson(postgresTables)
  const statements = await generateMigration(last, snapshot)
  return { statements: statements.map((text) => text.replaceAll('"public".', '')), snapshot }
}

// Usage: bun run db:generate:postgres NAME
if (import.meta.main) {
  const { statements, snapshot } = await changes()
  const [name = 'change'] = process.argv.slice(2)
  const count = readdirSync(import.meta.dir).filter((file) => file.endsWith('.sql')).length
  if (statements.length === 0) process.exit()
  writeFileSync(
    join(import.meta.dir, `${String(count).padStart(4, '0')}_${name}.sql`),
    statements.join('\n').replace(/;\s*$/, ''),
  )
  writeFileSync(SNAPSHOT, `${JSON.stringify(snapshot, undefined, 2)}\n`)
  writeList(import.meta.dir)
}
