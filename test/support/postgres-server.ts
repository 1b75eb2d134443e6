import { startPostgres } from './postgres.ts'

/** Runs PostgreSQL until the standard input ends, and prints the address of a database as JSON. */

const postgres = await startPostgres()
console.log(JSON.stringify(postgres.createDatabase()))
await Bun.stdin.text()
postgres[Symbol.dispose]()
process.exit()
