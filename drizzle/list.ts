import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the text of `migrations.ts` in a folder: every migration there in order, as text inside the program. */
export function listOf(folder: string): string {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .toSorted()
  const names = files.map((file) => file.slice(5, -4).replace(/_(.)/g, (_, letter) => letter.toUpperCase()))
  const imports = files.map((file, n) => `import ${names[n]} from './${file}' with { type: 'text' }\n`)
  const [head = ''] = /\/\*\*.*= \[\n/s.exec(readFileSync(join(folder, 'migrations.ts'), 'utf8')) ?? []
  return `${imports.join('')}\n${head}${names.map((name) => `  ${name},\n`).join('')}]\n`
}

export const writeList = (folder: string): void =>
  writeFileSync(join(folder, 'migrations.ts'), listOf(folder))
