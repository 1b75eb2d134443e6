import type { Catalog } from '../catalog/catalog.ts'
import type { SiteRow } from '../catalog/shares/sites.ts'
import type { ChangeListener } from './database.ts'

/** Websites in memory: hosts of requests are looked up without a query. */
export class SiteIndex {
  readonly #catalog: Catalog
  #byName = new Map<string, SiteRow>()
  #byDomain = new Map<string, SiteRow>()
  /** Revision of the rows in memory, of a database in this process. */
  #revision: number | undefined

  #version = 0

  private constructor(catalog: Catalog) {
    this.#catalog = catalog
  }

  static async open(catalog: Catalog): Promise<SiteIndex> {
    const index = new SiteIndex(catalog)
    if (catalog.isShared) await index.follow('missed')
    return index
  }

  /** Grows whenever other sites are in memory. */
  get version(): number {
    this.#renew()
    return this.#version
  }

  /** Returns the site of a name. */
  named(name: string): SiteRow | undefined {
    this.#renew()
    return this.#byName.get(name)
  }

  /** Returns the site with a domain of its own. */
  withDomain(domain: string): SiteRow | undefined {
    this.#renew()
    return this.#byDomain.get(domain)
  }

  /** Returns all names of sites, and all domains of theirs. */
  all(): { names: string[]; domains: string[] } {
    this.#renew()
    return { names: [...this.#byName.keys()], domains: [...this.#byDomain.keys()] }
  }

  /** Reads the sites again when a server that shares the database has changed them. */
  async follow(changes: Parameters<ChangeListener>[0]): Promise<void> {
    if (changes === 'missed' || changes.some(({ kind }) => kind === 'sites'))
      this.#set(await this.#catalog.read(() => this.#catalog.sites.all()))
  }

  /** Reads the sites of a database in this process again in the turn in which they are needed. */
  #renew(): void {
    const { isShared, now, sites } = this.#catalog
    if (isShared || this.#revision === sites.revision()) return
    this.#revision = sites.revision()
    this.#set(now(sites.all()))
  }

  #set(rows: readonly SiteRow[]): void {
    this.#version += 1
    this.#byName = new Map(rows.map((row) => [row.name, row]))
    this.#byDomain = new Map(rows.flatMap((row) => row.domains.map((domain) => [domain, row])))
  }
}
