import {
  chmodSync,
  cpSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'bun'
import { version } from '../../../package.json'
import { TARGETS } from '../binary.ts'
import { run } from './archive.ts'
import { PUBLISHER } from './publisher.ts'

/** Names of the processors in packages for Debian and for rpm. */
const PROCESSORS = { x64: { deb: 'amd64', rpm: 'x86_64' }, arm64: { deb: 'arm64', rpm: 'aarch64' } }

/** Targets that become packages: these distributions have glibc, and their packages cannot choose by AVX2. */
const PACKAGED = ['linux-x64-baseline', 'linux-arm64']

const UNIT = 'usr/lib/systemd/system/holdfast.service'

interface Packing {
  out: string
  staging: string
  epoch: number
  target: string
  /** Unpacked archive of the target. */
  folder: string
}

/** Writes the files of both packages below a root. */
function writeFiles(root: string, { folder }: Packing): void {
  const place = (path: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    return join(root, path)
  }
  linkSync(join(folder, 'holdfast'), place('usr/bin/holdfast'))
  const service = readFileSync(join(folder, 'holdfast.service'), 'utf8')
    .replace('/usr/local/bin/', '/usr/bin/')
    .replace('DynamicUser=yes', 'User=holdfast\nGroup=holdfast')
  writeFileSync(place(UNIT), service)
  const completions = join(folder, 'completions')
  cpSync(join(completions, 'holdfast.bash'), place('usr/share/bash-completion/completions/holdfast'))
  cpSync(join(completions, '_holdfast'), place('usr/share/zsh/vendor-completions/_holdfast'))
  cpSync(join(completions, 'holdfast.fish'), place('usr/share/fish/vendor_completions.d/holdfast.fish'))
}

/** Returns a template of this folder with its variables filled in. */
const filled = (name: string, variables: Record<string, string>) =>
  readFileSync(join(import.meta.dir, name), 'utf8').replace(
    /@([A-Z]+)@/g,
    (_, key: string) => variables[key] ?? '',
  )

function writeDeb(root: string, { out, folder, epoch }: Packing, arch: string): void {
  const documentation = join(root, 'usr/share/doc/holdfast')
  const overrides = join(root, 'usr/share/lintian/overrides')
  const control = join(root, 'DEBIAN')
  for (const path of [documentation, overrides, control]) mkdirSync(path, { recursive: true })
  cpSync(join(folder, 'LICENSE'), join(documentation, 'copyright'))
  const date = new Date(epoch * 1000).toUTCString().replace('GMT', '+0000')
  const entry = `holdfast (${version}) stable; urgency=medium\n\n  * Release ${version}.\n\n -- ${PUBLISHER.maintainer}  ${date}\n`
  writeFileSync(join(documentation, 'changelog.gz'), gzipSync(entry, { level: 9 }))
  cpSync(join(import.meta.dir, 'deb-lintian'), join(overrides, 'holdfast'))
  const kibibytes = Math.ceil(statSync(join(root, 'usr/bin/holdfast')).size / 1024)
  const variables = {
    VERSION: version,
    ARCH: arch,
    SIZE: String(kibibytes),
    MAINTAINER: PUBLISHER.maintainer,
  }
  writeFileSync(join(control, 'control'), filled('deb-control', variables))
  for (const script of ['postinst', 'prerm', 'postrm']) {
    writeFileSync(join(control, script), filled(`deb-${script}`, {}))
    chmodSync(join(control, script), 0o755)
  }
  run(['chmod', '--recursive', 'u=rwX,go=rX', root])
  // Level 1 takes a tenth of the time of 6, for a tenth more bytes.
  run(
    [
      'dpkg-deb',
      '--root-owner-group',
      '-Zxz',
      '-z1',
      '--build',
      root,
      join(out, `holdfast_${version}_${arch}.deb`),
    ],
    {
      env: { SOURCE_DATE_EPOCH: String(epoch) },
    },
  )
}

function writeRpm(root: string, { out, staging, folder, epoch }: Packing, arch: string): void {
  const licences = join(root, 'usr/share/licenses/holdfast')
  for (const path of [licences, join(root, 'var/lib/holdfast')]) mkdirSync(path, { recursive: true })
  cpSync(join(folder, 'LICENSE'), join(licences, 'LICENSE'))
  const spec = join(staging, 'holdfast.spec')
  writeFileSync(spec, filled('rpm.spec', { VERSION: version, ROOT: root }))
  const top = join(staging, 'rpm')
  run(['rpmbuild', '-bb', '--target', `${arch}-linux`, '--define', `_topdir ${top}`, spec], {
    env: { SOURCE_DATE_EPOCH: String(epoch) },
  })
  const name = `holdfast-${version}-1.${arch}.rpm`
  cpSync(join(top, 'RPMS', arch, name), join(out, name))
  rmSync(top, { recursive: true })
}

/** Writes the packages of a target: `.deb` and `.rpm`, each where its builder is installed. */
export function packForLinux(packing: Packing): void {
  const { staging, target } = packing
  const cpu = TARGETS[target]?.cpu
  if (!cpu || !PACKAGED.includes(target)) return
  const builders = { 'dpkg-deb': writeDeb, rpmbuild: writeRpm }
  for (const [program, write] of Object.entries(builders)) {
    if (!Bun.which(program)) {
      console.log(`${program} is not installed: its package of ${target} is not built.`)
      continue
    }
    const root = join(staging, 'root')
    writeFiles(root, packing)
    write(root, packing, PROCESSORS[cpu][program === 'rpmbuild' ? 'rpm' : 'deb'])
    rmSync(root, { recursive: true })
  }
}
