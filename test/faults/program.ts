import { readFileSync, renameSync, writeFileSync } from 'node:fs'

/** Limit of rows past which the catalog's own thread commits, and a lower one that every import passes. */
const FEW_ROWS = { source: 'FEW_ROWS = 250', small: 'FEW_ROWS = 5' }

/**
 * Writes a main module beside `program` whose catalog commits every import on its own thread: an import past the real
 * limit would have thousands of positions.
 *
 * @returns Path of the module.
 */
export function withFewRows(program: string): string {
  const parts = readFileSync(program, 'utf8').split(FEW_ROWS.source)
  if (parts.length !== 2)
    throw new Error(`"${FEW_ROWS.source}" is ${parts.length - 1} times in the server, not once`)
  const path = program.replace(/\.js$/, '-few-rows.js')
  const written = `${path}-${process.pid}`
  writeFileSync(written, parts.join(FEW_ROWS.small))
  renameSync(written, path)
  return path
}
