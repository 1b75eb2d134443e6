import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'

/** Entry of `bun.lock`: name and version, registry, what it needs, checksum. */
type Locked = [string, string, { dependencies?: Named; optionalDependencies?: Named }, string]
type Named = Record<string, string>

/** Component of a program, as CycloneDX describes it. */
export interface Component {
  type: 'library' | 'platform'
  'bom-ref': string
  name: string
  version: string
  purl: string
  licenses?: { license: { id: string } }[]
  hashes?: { alg: 'SHA-512'; content: string }[]
}

const REFERENCE = /^(.+)@([^@]+)$/

/** Returns the packages that the sources import at run time, but for those of the build. */
function importedBy(root: string): Set<string> {
  const found = new Set<string>()
  for (const path of new Glob('src/**/*.{ts,tsx}').scanSync(root)) {
    if (path.startsWith('src/build/')) continue
    const loader = path.endsWith('x') ? 'tsx' : 'ts'
    const imports = new Bun.Transpiler({ loader }).scanImports(readFileSync(join(root, path), 'utf8'))
    for (const { path: name } of imports)
      if (!/^(\.|\/|bun$|bun:|node:)/.test(name)) found.add(/^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name)
  }
  return found
}

/** Returns the licence of an installed package; `undefined` for one of another platform. */
function licenceOf(root: string, name: string): string | undefined {
  const manifest = join(root, 'node_modules', name, 'package.json')
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).license : undefined
}

/**
 * Lists every package inside the program and the dashboard, from `bun.lock`, and the runtime.
 *
 * @param isNative Tells whether an optional package belongs to a platform that is built.
 */
export function componentsOf(root: string, isNative: (name: string) => boolean): Component[] {
  const lock = Bun.JSONC.parse(readFileSync(join(root, 'bun.lock'), 'utf8')) as {
    packages: Record<string, Locked>
  }
  const { packages } = lock
  /** Finds what a package gets when it asks for another: its own copy, else one further up. */
  const placeOf = (from: string, name: string): string | undefined => {
    for (let at = from; at !== ''; at = at.replace(/\/?(@[^/]+\/)?[^/]+$/, ''))
      if (packages[`${at}/${name}`]) return `${at}/${name}`
    return packages[name] ? name : undefined
  }
  const places = new Set([...importedBy(root)].flatMap((name) => placeOf('', name) ?? []))
  for (const place of places) {
    const [, , { dependencies, optionalDependencies }] = packages[place] ?? ['', '', {}, '']
    const optional = Object.keys(optionalDependencies ?? {}).filter(isNative)
    // Types are in no program.
    const needs = Object.keys(dependencies ?? {}).filter((name) => !/^(@types\/|undici-types$)/.test(name))
    for (const name of [...needs, ...optional]) {
      const needed = placeOf(place, name)
      if (needed) places.add(needed)
    }
  }
  const [bun = ''] = packages['bun'] ?? []
  const libraries = [...places].toSorted().map((place) => {
    const [reference, , , checksum] = packages[place] ?? ['', '', {}, '']
    return componentOf(root, { place, reference, type: 'library', checksum })
  })
  return [
    componentOf(root, {
      place: 'bun',
      reference: bun,
      type: 'platform',
      checksum: packages['bun']?.[3] ?? '',
    }),
    // One package may be there under several names.
    ...new Map(libraries.map((library) => [library['bom-ref'], library])).values(),
  ]
}

function componentOf(
  root: string,
  {
    place,
    reference,
    type,
    checksum,
  }: { place: string; reference: string; type: Component['type']; checksum: string },
): Component {
  const [, name = '', version = ''] = REFERENCE.exec(reference) ?? []
  const [licence] = [name, place, name.replace(/-(linux|darwin)-.*$/, '')].flatMap(
    (folder) => licenceOf(root, folder) ?? [],
  )
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  return {
    ...{ type, 'bom-ref': purl, name, version, purl },
    ...(licence ? { licenses: [{ license: { id: licence } }] } : {}),
    hashes: [
      { alg: 'SHA-512', content: Buffer.from(checksum.replace('sha512-', ''), 'base64').toString('hex') },
    ],
  }
}

/** Returns the list of components as CycloneDX. It has no random number and no time but the release's. */
export const sbomOf = (
  program: { version: string; licence: string; date: string },
  components: Component[],
): object => ({
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  metadata: {
    timestamp: program.date,
    component: {
      ...{ type: 'application', 'bom-ref': 'holdfast', name: 'holdfast', version: program.version },
      licenses: [{ license: { id: program.licence } }],
    },
  },
  components,
  dependencies: [{ ref: 'holdfast', dependsOn: components.map((component) => component['bom-ref']) }],
})
