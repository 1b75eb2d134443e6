import { fold } from '../../../platform/fold.ts'
import { KINDS, kindOf } from '../../../platform/kinds.ts'
import type { FileRow } from '../../tree/files.ts'
import type { NameSearch } from '../../tree/search.ts'

/** Facts of a file or folder that searches need. A folder has no size, no visibility and no uploader. */
export type Named = Pick<FileRow, 'name' | 'createdAt'> &
  Partial<Pick<FileRow, 'size' | 'visibility' | 'mimeType' | 'uploadedBy'>> & {
    /** Id of the folder that it is in. */
    folderId: string
  }

/** Numbers for ids, from 1 on: a column of them takes a tenth of the memory. */
class Numbers {
  readonly #numbers = new Map<string, number>()

  /** Returns the number of an id, a new one for an id that was not known. */
  of(id: string): number {
    const known = this.#numbers.get(id)
    if (known !== undefined) return known
    this.#numbers.set(id, this.#numbers.size + 1)
    return this.#numbers.size
  }

  /** Returns the number of an id; -1 for an id that is not known. */
  find(id: string): number {
    return this.#numbers.get(id) ?? -1
  }
}

/** Byte before and after each name. It never occurs in UTF-8. */
export const SEPARATOR = 0xff
/** Slots of a block. */
const BLOCK = 4096
/** Bits of the flags of a slot; those above are its kind. */
const LIVE = 1
const PUBLIC = 2
const KIND_SHIFT = 2
/** Abandoned slots that are no reason to begin again. */
const MAX_ABANDONED = 10_000

/** Part of the names: `bytes` are folded names between separators, of the slots from `first` to before `end`. */
export interface Block {
  bytes: Buffer
  first: number
  end: number
  /** Time of its newest name. */
  newest: number
}

/** Part of the tree. */
export interface Within {
  /** Ids of the folders: what is directly in them is found. */
  folders: readonly string[]
  /** Ties of folders that are found themselves. */
  ties: readonly number[]
}

/**
 * Folded names in one buffer, with a column for each of their facts, because a million objects would take ten times
 * the memory. Each row has a slot. A row with a new name gets a new slot.
 */
export class NameStore {
  #text = Buffer.alloc(1 << 16, SEPARATOR)
  #length = 0
  #count = 0
  #live = 0
  /** Offset of the separator before each name. */
  #starts = new Float64Array(BLOCK)
  #ties = new Float64Array(BLOCK)
  #times = new Float64Array(BLOCK)
  #sizes = new Float64Array(BLOCK)
  #flags = new Uint8Array(BLOCK)
  /** Numbers of the accounts that uploaded; 0 for none. */
  #uploaders = new Uint32Array(BLOCK)
  readonly #accountNumbers = new Numbers()
  /** Numbers of the folders that they are in. */
  #folders = new Uint32Array(BLOCK)
  readonly #folderNumbers = new Numbers()
  readonly #newest: number[] = []
  /** Slots that are not in the order of their ties. Before the first of them, ties ascend. */
  readonly #moved = new Map<number, number>()
  #sorted: number | undefined

  /** True when a new store would be less than half as large. */
  get isWorn(): boolean {
    return this.#count - this.#live > MAX_ABANDONED + this.#live
  }

  /**
   * Inserts or updates a row.
   *
   * @param tie Number that stays with the row.
   * @returns True when it was known as it is.
   */
  put(tie: number, row: Named): boolean {
    const name = fold(row.name)
    const slot = this.#slotOf(tie)
    if (slot !== undefined && this.nameOf(slot) === name) return !this.#setFacts(slot, row)
    this.remove(tie)
    this.#append(tie, name)
    this.#setFacts(this.#count - 1, row)
    return false
  }

  /** Removes a row, if it is known. */
  remove(tie: number): void {
    const slot = this.#slotOf(tie)
    if (slot === undefined) return
    this.#flags[slot] = 0
    this.#live -= 1
    this.#moved.delete(tie)
  }

  tieOf(slot: number): number {
    return this.#ties[slot] ?? 0
  }

  timeOf(slot: number): number {
    return this.#times[slot] ?? 0
  }

  /** Returns a folded name. */
  nameOf(slot: number): string {
    return this.#text.toString('utf8', this.startOf(slot) + 1, this.startOf(slot + 1))
  }

  /** Returns the blocks, the one with the newest name first. */
  blocks(): Block[] {
    const blocks = this.#newest.map((newest, index) => {
      const first = index * BLOCK
      const end = Math.min(first + BLOCK, this.#count)
      return { bytes: this.#text.subarray(this.startOf(first), this.startOf(end) + 1), first, end, newest }
    })
    return blocks.sort((one, other) => other.newest - one.newest)
  }

  /** Returns the offset of the separator before a name; of the one at the end, after the last. */
  startOf(slot: number): number {
    return slot < this.#count ? (this.#starts[slot] ?? 0) : this.#length
  }

  /**
   * Returns a function that is true for the slots that a search lets through, whatever their names.
   *
   * @param within Part of the tree to search; all of it by default.
   */
  filter(
    { kind, visibility, uploader, after, before, minSize, maxSize }: NameSearch,
    within?: Within,
  ): (slot: number) => boolean {
    const [first, end] = [after ?? Number.NEGATIVE_INFINITY, before ?? Number.POSITIVE_INFINITY]
    const [min, max] = [minSize ?? 0, maxSize ?? Number.POSITIVE_INFINITY]
    const isMedia = kind !== undefined && kind !== 'file' && kind !== 'folder'
    const wanted =
      LIVE | (visibility === 'public' ? PUBLIC : 0) | (isMedia ? KINDS.indexOf(kind) << KIND_SHIFT : 0)
    const mask = LIVE | (visibility ? PUBLIC : 0) | (isMedia ? 0xff << KIND_SHIFT : 0)
    const account = uploader === undefined ? undefined : this.#accountNumbers.find(uploader)
    const folders = within && new Set(within.folders.map((id) => this.#folderNumbers.find(id)))
    const ties = new Set(within?.ties)
    return (slot) => {
      const time = this.timeOf(slot)
      const size = this.#sizes[slot] ?? 0
      return (
        ((this.#flags[slot] ?? 0) & mask) === wanted &&
        time >= first &&
        time < end &&
        size >= min &&
        size <= max &&
        (account === undefined || this.#uploaders[slot] === account) &&
        (folders === undefined || folders.has(this.#folders[slot] ?? 0) || ties.has(this.tieOf(slot)))
      )
    }
  }

  #slotOf(tie: number): number | undefined {
    const moved = this.#moved.get(tie)
    if (moved !== undefined) return moved
    let [low, high] = [0, this.#sorted ?? this.#count]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.tieOf(middle) < tie) low = middle + 1
      else high = middle
    }
    const isKnown = low < (this.#sorted ?? this.#count) && this.tieOf(low) === tie && this.#flags[low] !== 0
    return isKnown ? low : undefined
  }

  #append(tie: number, name: string): void {
    const slot = this.#count
    if (slot === this.#ties.length) this.#growColumns()
    // A character of UTF-16 has at most three bytes of UTF-8.
    if (this.#length + 3 * name.length + 2 > this.#text.length) this.#growText(3 * name.length + 2)
    if (this.#sorted === undefined && slot > 0 && this.tieOf(slot - 1) >= tie) this.#sorted = slot
    if (this.#sorted !== undefined) this.#moved.set(tie, slot)
    this.#starts[slot] = this.#length
    this.#ties[slot] = tie
    this.#length += 1 + this.#text.write(name, this.#length + 1)
    this.#text[this.#length] = SEPARATOR
    this.#count += 1
    this.#live += 1
  }

  /** Sets the facts of a slot, and returns true if any was another. */
  #setFacts(slot: number, row: Named): boolean {
    const { name, createdAt, size = 0, visibility, mimeType, uploadedBy } = row
    const kind = mimeType === undefined ? 0 : KINDS.indexOf(kindOf({ name, mimeType }))
    const flags = LIVE | (visibility === 'public' ? PUBLIC : 0) | (kind << KIND_SHIFT)
    const uploader = uploadedBy ? this.#accountNumbers.of(uploadedBy) : 0
    const folder = this.#folderNumbers.of(row.folderId)
    const isSame =
      this.#times[slot] === createdAt &&
      this.#sizes[slot] === size &&
      this.#flags[slot] === flags &&
      this.#uploaders[slot] === uploader &&
      this.#folders[slot] === folder
    this.#times[slot] = createdAt
    this.#sizes[slot] = size
    this.#flags[slot] = flags
    this.#uploaders[slot] = uploader
    this.#folders[slot] = folder
    const block = Math.floor(slot / BLOCK)
    this.#newest[block] = Math.max(this.#newest[block] ?? Number.NEGATIVE_INFINITY, createdAt)
    return !isSame
  }

  #growColumns(): void {
    const length = this.#ties.length * 2
    this.#starts = copied(this.#starts, new Float64Array(length))
    this.#ties = copied(this.#ties, new Float64Array(length))
    this.#times = copied(this.#times, new Float64Array(length))
    this.#sizes = copied(this.#sizes, new Float64Array(length))
    this.#flags = copied(this.#flags, new Uint8Array(length))
    this.#uploaders = copied(this.#uploaders, new Uint32Array(length))
    this.#folders = copied(this.#folders, new Uint32Array(length))
  }

  #growText(more: number): void {
    const grown = Buffer.alloc(this.#text.length * 2 + more)
    grown.set(this.#text)
    this.#text = grown
  }
}

/** Copies a column to the beginning of a longer one. */
function copied<Column extends { set: (from: Column) => void }>(column: Column, longer: Column): Column {
  longer.set(column)
  return longer
}
