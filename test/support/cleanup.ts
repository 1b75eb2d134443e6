const cleanups = new Set<() => void>()

process.on('exit', () => {
  for (const clean of [...cleanups].reverse()) clean()
})

/**
 * Registers `clean` to run when this process exits, also after a signal.
 *
 * @returns Function that cancels the registration.
 */
export function atExit(clean: () => void): () => void {
  cleanups.add(clean)
  return () => cleanups.delete(clean)
}
