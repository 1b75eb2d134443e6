import { LRUCache } from 'lru-cache'
import type { Context } from '../../access/context.ts'
import { whole } from '../../access/reach.ts'
import { Refusal } from '../../platform/errors.ts'
import { RULE_FILES, segmentsOf } from '../../platform/names.ts'
import type { FileAccess, SiteRow, Work } from '../../store/rows.ts'
import { isShownAt } from './answer.ts'
import type { HeaderRules } from './rules/headers.ts'
import type { RedirectRules } from './rules/redirects.ts'

const KiB = 1024
/** Maximum lengths of the files with the rules of a site, in bytes. */
const MAX_BYTES = { _headers: 64 * KiB, _redirects: 256 * KiB }
type RuleFile = (typeof RULE_FILES)[number]

/** Memory for rules, by the length of their files: rules take several times that. */
const MAX_CACHED_BYTES = 4 * 1024 * KiB
/** Bytes that a file counts besides. */
const OVERHEAD_BYTES = 512
/** Attempts to read rules that change meanwhile, or are pushed out of memory by those of other sites. */
const ATTEMPTS = 5

/** Rules of a site; without those of a file that it does not have. */
export interface Rules {
  headers?: HeaderRules | undefined
  redirects?: RedirectRules | undefined
}

/** Line of a file with rules that has no effect. */
export interface RuleProblem {
  file: RuleFile
  line: number
  message: string
}

type Known = Rules & { problems: RuleProblem[]; bytes: number }

/**
 * Rules of sites in memory, by the SHA-256 of their files: the row of a file tells whether they changed. A file counts
 * where the site shows it: what visitors send to a drop box is private.
 */
export class RuleFiles {
  readonly #deps: Context
  readonly #known = new LRUCache<string, Known>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: ({ bytes }) => bytes,
  })

  constructor(deps: Context) {
    this.#deps = deps
  }

  /** Finds the rules of a site in the folder with a key; `undefined` while some have not been read. */
  *find(site: SiteRow, folder: string): Work<Rules | undefined> {
    const rules: Rules = {}
    for (const name of RULE_FILES) {
      const file = yield* this.#fileOf(site, folder, name)
      const known = file && this.#known.get(keyOf(site, name, file))
      if (file && !known) return undefined
      rules.headers ??= known?.headers
      rules.redirects ??= known?.redirects
    }
    return rules
  }

  /**
   * Runs work that needs the rules of a site. It returns `undefined` while some have not been read.
   *
   * @throws {Refusal} `unavailable` when the rules cannot be read: without them, a page could lack what protects it.
   */
  async withRules<T>(site: SiteRow, work: () => Promise<T | undefined>): Promise<T> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const result = await work()
      if (result !== undefined) return result
      await this.#readAll(site)
    }
    throw new Refusal('unavailable')
  }

  /** Returns the lines of a site's rules that have no effect. */
  async problemsOf(site: SiteRow): Promise<RuleProblem[]> {
    return (await this.#readAll(site)).flatMap(({ problems }) => problems)
  }

  async #readAll(site: SiteRow): Promise<Known[]> {
    const known: Known[] = []
    for (const name of RULE_FILES) {
      const rules = await this.#read(site, name)
      if (rules) known.push(rules)
    }
    return known
  }

  async #read(site: SiteRow, name: RuleFile): Promise<Known | undefined> {
    const { store } = this.#deps
    const find = () => this.#atSite(site, name)
    const found = store.isShared ? await store.read(find) : store.now(find())
    if (!found) return undefined
    const { key, file } = found
    const address = keyOf(site, name, file)
    const known = this.#known.get(address)
    if (known) return known
    // Called in the turn in which a database in this process was asked.
    const opened = await store.openFile({ ...file, key })
    if (!opened) return undefined
    const isRead = opened.size > 0 && opened.size <= MAX_BYTES[name]
    if (!isRead) opened.close()
    const text = isRead ? await new Response(opened.body(0, opened.size - 1)).text() : ''
    const bytes = text.length + OVERHEAD_BYTES
    const isTooLong = opened.size > MAX_BYTES[name]
    const rules = isTooLong ? tooLong(name) : await this.#parse(site, name, text)
    this.#known.set(address, { ...rules, bytes })
    return { ...rules, bytes }
  }

  async #parse(site: SiteRow, name: RuleFile, text: string): Promise<Omit<Known, 'bytes'>> {
    const parsed =
      name === '_headers'
        ? { headers: await this.#headersOf(site, text) }
        : { redirects: new (await import('./rules/redirects.ts')).RedirectRules(text) }
    const { problems } = parsed.headers ?? parsed.redirects
    return { ...parsed, problems: problems.map((problem) => ({ file: name, ...problem })) }
  }

  async #headersOf(site: SiteRow, text: string): Promise<HeaderRules> {
    const { sitesDomain = '' } = this.#deps.config
    const { HeaderRules } = await import('./rules/headers.ts')
    return new HeaderRules(
      text,
      (host) => host === `${site.name}.${sitesDomain}` || site.domains.includes(host),
    )
  }

  *#atSite(site: SiteRow, name: RuleFile): Work<{ key: string; file: FileAccess } | undefined> {
    const folder = yield* whole(this.#deps).store.folders.keyOf(site.folderId)
    const file = folder === undefined ? undefined : yield* this.#fileOf(site, folder, name)
    return file && { key: `${folder}/${name}`, file }
  }

  *#fileOf(site: SiteRow, folder: string, name: RuleFile): Work<FileAccess | undefined> {
    const file = yield* this.#deps.store.accessAt(segmentsOf(folder), name)
    return file && isShownAt(site, file) ? file : undefined
  }
}

/** Returns what names the rules of a file: the hosts for which they are belong to the site. */
const keyOf = ({ id, updatedAt }: SiteRow, name: RuleFile, { sha256 }: FileAccess) =>
  `${name} ${id} ${updatedAt} ${sha256}`

const tooLong = (name: RuleFile) => ({
  problems: [{ file: name, line: 0, message: `The file has more than ${MAX_BYTES[name] / KiB} KiB` }],
})
