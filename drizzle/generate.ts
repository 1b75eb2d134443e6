import { writeList } from './list.ts'

// Usage: bun run db:generate --name NAME
const { exitCode } = Bun.spawnSync(['drizzle-kit', 'generate', ...process.argv.slice(2)], {
  stdio: ['inherit', 'inherit', 'inherit'],
})
if (exitCode === 0) writeList(import.meta.dir)
process.exitCode = exitCode
