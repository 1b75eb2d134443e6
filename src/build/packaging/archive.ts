import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'bun'

/** Runs a program of the building machine. @throws what it prints when it fails. */
export function run(
  command: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): string {
  const { env = {}, ...others } = options
  const { success, stdout, stderr } = Bun.spawnSync([...command], {
    ...others,
    env: { ...process.env, ...env },
  })
  if (!success) throw new Error(`${command[0]} failed: ${stdout}${stderr}`)
  return stdout.toString()
}

/** Options of GNU tar that leave out of an archive what differs between two builds of the same files. */
export const sameBytes = (epoch: number): string[] => [
  ...['--sort=name', `--mtime=@${epoch}`, '--owner=0', '--group=0', '--numeric-owner'],
  ...['--mode=u=rwX,go=rX', '--format=ustar'],
]

/**
 * Packs `name` in `folder` as `.tar.gz`. The same files give the same bytes.
 *
 * @param epoch Unix time of every entry.
 * @throws when tar fails.
 */
export function pack(
  archive: string,
  { folder, name, epoch }: { folder: string; name: string; epoch: number },
): void {
  const tar = `${archive}.tar`
  run(['tar', ...sameBytes(epoch), '-cf', tar, '-C', folder, name])
  // Takes less than half the time of the program gzip, for fewer bytes.
  writeFileSync(archive, gzipSync(readFileSync(tar), { library: 'libdeflate' }))
  rmSync(tar)
}
