/** Rights in a folder and everything below it. Each but the first needs the first. */
export const RIGHTS = ['read', 'write', 'delete', 'share'] as const

export type Right = (typeof RIGHTS)[number]

/** Rights in a folder and everything below it. */
export interface Grant {
  folderId: string
  rights: readonly Right[]
}

/** Limits of what a caller reaches. */
export interface Limits {
  /** Folders of the account; `undefined` for everything. */
  grants?: readonly Grant[] | undefined
  /** Folder of the API key; `undefined` for one that is bound to none. */
  boundTo?: string | undefined
}

/**
 * Part of the tree: the folders that are, or are below, a folder of each of these lists, with the files in them. Without a
 * list it is the whole tree.
 */
export type Part = readonly (readonly string[])[]

/**
 * Part of the tree that a caller reaches. What is outside does not exist for it. It names folders by their ids, so they may
 * be moved and renamed, and each question is answered by the tree as it is then.
 */
export class Reach {
  #limits: Limits
  readonly #parts = new Map<Right, Part>()

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** True for a caller that is not limited. */
  get isEverything(): boolean {
    return this.#limits.grants === undefined && this.#limits.boundTo === undefined
  }

  /** Folders of the grants, and the one of the API key: its topmost folders are among them. */
  get folderIds(): readonly string[] {
    const { grants = [], boundTo } = this.#limits
    return [
      ...new Set([...grants.map(({ folderId }) => folderId), ...(boundTo === undefined ? [] : [boundTo])]),
    ]
  }

  /** Returns the part in which the caller has a right. */
  part(right: Right = 'read'): Part {
    const known = this.#parts.get(right)
    if (known) return known
    const { grants, boundTo } = this.#limits
    const granted = grants?.filter(({ rights }) => rights.includes(right)).map(({ folderId }) => folderId)
    const part = [...(granted ? [granted] : []), ...(boundTo === undefined ? [] : [[boundTo]])]
    this.#parts.set(right, part)
    return part
  }

  /** Returns the parts of the single grants, within which a file or folder stays when it moves. */
  get territories(): readonly Part[] {
    const { grants, boundTo } = this.#limits
    const bound = boundTo === undefined ? [] : [[boundTo]]
    return grants ? grants.map(({ folderId }) => [[folderId], ...bound]) : [bound]
  }

  /** Returns what is reached with a right, as a reach of its own. */
  only(right: Right): Reach {
    const { grants, boundTo } = this.#limits
    return new Reach({ grants: grants?.filter(({ rights }) => rights.includes(right)), boundTo })
  }

  /** Text that is equal for callers that reach the same. */
  get fingerprint(): string {
    return JSON.stringify(this.#limits)
  }

  /** Takes over what the caller reaches now. Its transactions do that first. */
  renew(now: Reach): void {
    this.#limits = now.#limits
    this.#parts.clear()
  }
}

/** Reach of a caller that is not limited, of visitors and of the program itself. */
export const EVERYTHING = new Reach({})
