const cleanups = new Set<() => void>()

process.on('exit', () => {
  for (const clean of [...cleanups].reverse()) clean()
})

/**
 * Has `clean` done when this process ends, however it is told to.
 *
 * @returns Call it when that is not needed any more.
 */
export function atExit(clean: () => void): () => void {
  cleanups.add(clean)
  return () => cleanups.delete(clean)
}
