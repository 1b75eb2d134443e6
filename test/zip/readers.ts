import { mkdirSync } from 'node:fs'

/** Debian packages of the programs that read the archives. */
const PACKAGES = {
  unzip: 'unzip',
  '7z': 'p7zip-full',
  bsdtar: 'libarchive-tools',
  python3: 'python3',
}

export type Reader = keyof typeof PACKAGES
export const READERS: Reader[] = ['unzip', '7z', 'bsdtar', 'python3']

/** Prints the listed paths as JSON after checking every entry's CRC-32. */
const PYTHON_TEST = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    broken = archive.testzip()
    if broken is not None: sys.exit('Broken: ' + broken)
    print(json.dumps(archive.namelist()))`

const PYTHON_EXTRACT = 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])'

/** Reads every byte of an archive and compares it with its CRC-32. */
const TEST: Record<Reader, (archive: string) => string[]> = {
  unzip: (archive) => ['-tq', archive],
  '7z': (archive) => ['t', '-bd', archive],
  // To standard output, which is discarded: `-t` alone lists the entries and skips their bytes.
  bsdtar: (archive) => ['-xOf', archive],
  python3: (archive) => ['-c', PYTHON_TEST, archive],
}

const EXTRACT: Record<Reader, (archive: string, folder: string) => string[]> = {
  unzip: (archive, folder) => ['-q', archive, '-d', folder],
  '7z': (archive, folder) => ['x', '-bd', `-o${folder}`, archive],
  bsdtar: (archive, folder) => ['-xf', archive, '-C', folder],
  python3: (archive, folder) => ['-c', PYTHON_EXTRACT, archive, folder],
}

export interface Finished {
  exitCode: number
  /** Output, complaints included. */
  output: string
}

/** @throws when the program is missing, with the name of its package. */
export async function run(program: Reader, args: string[], keepOutput = true): Promise<Finished> {
  const path = Bun.which(program)
  if (path === null) {
    throw new Error(`${program} is missing: apt-get install ${PACKAGES[program]}`)
  }
  const child = Bun.spawn([path, ...args], {
    // A zone with an offset and a locale with all characters, the same wherever the tests run.
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], LC_ALL: 'C.UTF-8', TZ: 'Asia/Tokyo' },
    stdin: 'ignore',
    stdout: keepOutput ? 'pipe' : 'ignore',
    stderr: 'pipe',
  })
  const printed = child.stdout === undefined ? '' : child.stdout.text()
  const [output, complaint, exitCode] = await Promise.all([printed, child.stderr.text(), child.exited])
  return { exitCode, output: output + complaint }
}

export const testArchive = (reader: Reader, archive: string): Promise<Finished> =>
  run(reader, TEST[reader](archive), reader !== 'bsdtar')

/** Extracts into `folder`, which is made. */
export function extract(reader: Reader, archive: string, folder: string): Promise<Finished> {
  mkdirSync(folder, { recursive: true })
  return run(reader, EXTRACT[reader](archive, folder))
}

/** Packs a folder into a pipe, in which the program cannot seek back to fill in sizes. */
const PYTHON_STREAM = `
import os, sys, zipfile
class Pipe:
    def write(self, data): return sys.stdout.buffer.write(data)
    def flush(self): pass
with zipfile.ZipFile(Pipe(), 'w', zipfile.ZIP_DEFLATED) as archive:
    for name in os.listdir('.'):
        for folder, _, files in os.walk(name): archive.write(folder); [archive.write(f'{folder}/{f}') for f in files]
        if os.path.isfile(name): archive.write(name)`

/** Shell commands that pack all of the folder they run in into `../archive.zip`. */
export const WRITERS: [string, string][] = [
  ['zip', 'zip -qr ../archive.zip .'],
  ['zip into a pipe', 'zip -qr - . | cat > ../archive.zip'],
  ['zip into a pipe, stored', 'zip -qr0 - . | cat > ../archive.zip'],
  ['7z', '7z a -bd -tzip ../archive.zip . > ../log'],
  ['bsdtar', 'bsdtar --format zip -cf ../archive.zip *'],
  ['Python', 'python3 -m zipfile -c ../archive.zip *'],
  ['Python into a pipe', `python3 -c "${PYTHON_STREAM}" > ../archive.zip`],
]

/** Runs a shell command in a folder. @throws with its output when it fails. */
export function shell(command: string, folder: string): void {
  const { exitCode, stdout, stderr } = Bun.spawnSync(['sh', '-c', command], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], LC_ALL: 'C.UTF-8' },
  })
  if (exitCode !== 0) throw new Error(`"${command}" failed: ${stdout}${stderr}`)
}

/** Lists paths with Python, the only reader here that prints them unambiguously. */
export async function listWithPython(archive: string): Promise<unknown> {
  return JSON.parse((await run('python3', TEST.python3(archive))).output)
}
