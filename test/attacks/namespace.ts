const IS_ROOT = process.getuid?.() === 0

/** Command that gives a program mounts of its own. */
export const namespace = IS_ROOT ? ['unshare', '-m'] : ['unshare', '-Urm']

/** Runs a command among the mounts of such a program. */
export function runAmong({ pid }: { pid: number }, ...command: string[]): number {
  const user = IS_ROOT ? [] : ['-U', '--preserve-credentials']
  return Bun.spawnSync(['nsenter', '-t', String(pid), '-m', ...user, ...command]).exitCode
}
