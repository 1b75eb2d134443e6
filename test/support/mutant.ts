import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../..')
/** Parts of the project that a server and its rigs need. */
const PARTS = ['src', 'drizzle', 'test', 'package.json', 'tsconfig.json', 'bunfig.toml', 'bun.lock']

interface Edit {
  file: string
  /** Text to replace. It must occur exactly once. */
  text: string
  replacement: string
}

/** Small change to the source that breaks a promise. */
export interface SourceChange extends Edit {
  name: string
  /** Change of another guard, which would keep the promise nearly always. */
  also?: Edit
}

/** Copies the project to a new `folder` and applies the change there. */
export function makeMutant({ name, also, ...edit }: SourceChange, folder: string): void {
  mkdirSync(folder)
  for (const part of PARTS) cpSync(join(ROOT, part), join(folder, part), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  for (const { file, text, replacement } of also ? [edit, also] : [edit]) {
    const path = join(folder, file)
    const source = readFileSync(path, 'utf8')
    const found = source.split(text).length - 1
    if (found !== 1) throw new Error(`Mutant "${name}": its text is ${found} times in ${file}, not once`)
    writeFileSync(
      path,
      source.replace(text, () => replacement),
    )
  }
}
