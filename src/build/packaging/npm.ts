import {
  chmodSync,
  copyFileSync,
  cpSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { description, license, version } from '../../../package.json'
import { TARGETS } from '../binary.ts'
import { pack, run } from './archive.ts'
import { PUBLISHER } from './publisher.ts'

/**
 * Names of the packages by target. npm cannot choose by processor, so x64 has the program that runs on all of them. On
 * macOS that is the only one.
 */
export const NPM_PACKAGES: Record<string, string> = {
  'linux-x64-baseline': 'holdfast-linux-x64',
  'linux-x64-musl-baseline': 'holdfast-linux-x64-musl',
  'linux-arm64': 'holdfast-linux-arm64',
  'linux-arm64-musl': 'holdfast-linux-arm64-musl',
  'darwin-x64': 'holdfast-darwin-x64',
  'darwin-arm64': 'holdfast-darwin-arm64',
}

const ROOT = join(import.meta.dir, '../../..')

interface Place {
  /** Folder of the packed files. */
  out: string
  /** Folder for files on the way. */
  staging: string
  epoch: number
}

/** Packs a package whose files `fill` writes. */
function packPackage({ out, staging, epoch }: Place, name: string, fill: (folder: string) => void): void {
  const folder = join(staging, 'package')
  mkdirSync(folder, { recursive: true })
  mkdirSync(out, { recursive: true })
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'))
  fill(folder)
  pack(join(out, `${name}-${version}.tgz`), { folder: staging, name: 'package', epoch })
  rmSync(folder, { recursive: true })
}

/** Writes the manifest of a package. npm refuses provenance without the address of the repository. */
function writeManifest(folder: string, manifest: object): void {
  const { repository: url } = PUBLISHER
  const repository = url ? { repository: { type: 'git', url: `git+${url}.git` } } : {}
  const text = JSON.stringify({ ...manifest, ...repository }, undefined, 2)
  writeFileSync(join(folder, 'package.json'), `${text}\n`)
}

/** Packs the program of a target, if npm installs it. */
export function packPlatform(place: Place, target: string, binary: string): void {
  const [name, platform] = [NPM_PACKAGES[target], TARGETS[target]]
  if (!name || !platform) return
  const { os, cpu, libc } = platform
  packPackage(place, name, (folder) => {
    linkSync(binary, join(folder, 'holdfast'))
    const only = { os: [os], cpu: [cpu], ...(libc && { libc: [libc] }) }
    writeManifest(folder, {
      ...{ name, version, license, description: `The program of holdfast for ${target}.`, ...only },
      files: ['holdfast'],
      preferUnplugged: true,
    })
  })
}

/** Packs `holdfast`, which starts the program of the platform, and `holdfast-client`. */
export function packMain(place: Place): void {
  packPackage(place, 'holdfast', (folder) => {
    const script = join(folder, 'holdfast.sh')
    copyFileSync(join(import.meta.dir, 'npm.sh'), script)
    chmodSync(script, 0o755)
    copyFileSync(join(ROOT, 'README.md'), join(folder, 'README.md'))
    writeManifest(folder, {
      ...{ name: 'holdfast', version, license, description },
      bin: { holdfast: 'holdfast.sh' },
      files: ['holdfast.sh'],
      optionalDependencies: Object.fromEntries(Object.values(NPM_PACKAGES).map((name) => [name, version])),
    })
  })
  const client = join(place.staging, 'client')
  run([process.execPath, join(ROOT, 'src/build/client.ts'), '--outdir', client])
  packPackage(place, 'holdfast-client', (folder) => {
    cpSync(client, folder, { recursive: true })
    writeManifest(folder, JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')))
  })
}
