/** Debian packages of the programs that benches run. A bench installs none. */
const PACKAGES = {
  nginx: 'nginx-light',
  caddy: 'caddy',
  wrk: 'wrk',
  curl: 'curl',
}

export type Tool = keyof typeof PACKAGES

/** Finds a program, also in the `sbin` folders, which are not on every user's path. */
export const findTool = (tool: Tool): string | undefined =>
  Bun.which(tool, { PATH: `${process.env['PATH']}:/usr/local/sbin:/usr/sbin` }) ?? undefined

export const howToGet = (tool: Tool) => `${tool} is missing: apt install ${PACKAGES[tool]}`

/**
 * Runs a program to its end and returns its output.
 *
 * @throws with its error output when it fails, or when `signal` aborts it.
 */
export async function run(command: string[], signal = new AbortController().signal): Promise<string> {
  signal.throwIfAborted()
  const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe', signal })
  const [output, complaint, exitCode] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ])
  signal.throwIfAborted()
  if (exitCode !== 0) throw new Error(`${command[0]} ended with ${exitCode}: ${complaint}${output}`)
  return output
}
