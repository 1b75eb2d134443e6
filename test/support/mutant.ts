import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../..')
/** What a server and its rigs need of the project. */
const PARTS = ['src', 'drizzle', 'test', 'package.json', 'tsconfig.json', 'bunfig.toml']

/** A small change to the source that breaks a promise. */
export interface SourceChange {
  name: string
  file: string
  /** Must occur exactly once. */
  text: string
  replacement: string
}

/** Copies the project to a new `folder` and makes the change there. */
export function makeMutant({ name, file, text, replacement }: SourceChange, folder: string): void {
  mkdirSync(folder)
  for (const part of PARTS) cpSync(join(ROOT, part), join(folder, part), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const path = join(folder, file)
  const source = readFileSync(path, 'utf8')
  const found = source.split(text).length - 1
  if (found !== 1) throw new Error(`Mutant "${name}": its text is ${found} times in ${file}, not once`)
  writeFileSync(
    path,
    source.replace(text, () => replacement),
  )
}
