import { RANK, type Rank } from '../../../platform/fold.ts'
import type { NameSearch } from '../../tree/search.ts'
import { type Block, type NameStore, SEPARATOR, type Within } from './name-store.ts'
import { type Hit, TopHits } from './top-hits.ts'

/** Reports a slot with the rank of its name. */
type Report = (slot: number, rank: Rank) => void
/** Reports the slots of a block. */
type Scan = (block: Block, report: Report) => void

const EDGE = Buffer.of(SEPARATOR)

/**
 * Returns up to `count` hits of a search, the best first. It looks for the best rank in all blocks, then for the next
 * one. The blocks with the newest names come first, so a text that most names have is found in a few of them.
 *
 * @param options.within Part of the tree to search; all of it by default.
 */
export function findNames(
  names: NameStore,
  search: NameSearch,
  { count, within }: { count: number; within: Within | undefined },
): Hit[] {
  const hits = new TopHits(count, search.from)
  const matches = names.filter(search, within)
  const blocks = names.blocks().filter(({ first, end }) => hasMatch(first, end, matches))
  const report: Report = (slot, rank) => {
    const createdAt = names.timeOf(slot)
    if (!hits.isSettled(rank, createdAt) && matches(slot))
      hits.offer({ rank, createdAt, name: names.nameOf(slot), tie: names.tieOf(slot) })
  }
  for (const [rank, scan] of scansFor(names, search.text)) {
    for (const block of blocks) {
      if (hits.isSettled(rank, block.newest)) break
      scan(block, report)
    }
  }
  return hits.all
}

function hasMatch(first: number, end: number, matches: (slot: number) => boolean): boolean {
  for (let slot = first; slot < end; slot += 1) if (matches(slot)) return true
  return false
}

/** Returns the scans for a text with the best rank that each finds. */
function scansFor(names: NameStore, text: string): [Rank, Scan][] {
  if (text === '') return [[RANK.exact, reportAll]]
  const middle = Buffer.from(text)
  return [
    [RANK.exact, edgeScan(names, Buffer.concat([EDGE, middle, EDGE]), () => RANK.exact)],
    [
      RANK.prefix,
      edgeScan(names, Buffer.concat([EDGE, middle]), (next) =>
        next === SEPARATOR ? undefined : RANK.prefix,
      ),
    ],
    [RANK.word, insideScan(names, middle)],
  ]
}

const reportAll: Scan = ({ first, end }, report) => {
  for (let slot = first; slot < end; slot += 1) report(slot, RANK.exact)
}

/** Returns the scan for names that begin with a text. `rankOf` gets the byte after it. */
const edgeScan =
  (names: NameStore, text: Buffer, rankOf: (next: number | undefined) => Rank | undefined): Scan =>
  (block, report) => {
    const { bytes, first } = block
    let slot = first
    for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + 1)) {
      slot = slotAt(names, block, slot, at)
      const rank = rankOf(bytes[at + text.length])
      if (rank !== undefined && slot < block.end) report(slot, rank)
    }
  }

/** Returns the scan for names that have a text after their beginning. */
const insideScan =
  (names: NameStore, text: Buffer): Scan =>
  (block, report) => {
    const { bytes, first } = block
    const base = names.startOf(first)
    let slot = first
    for (let at = bytes.indexOf(text); at !== -1; ) {
      slot = slotAt(names, block, slot, at)
      const start = names.startOf(slot) - base
      const end = names.startOf(slot + 1) - base
      // Names that begin with the text were reported before.
      if (at > start + 1) report(slot, hasWord(bytes, text, at, end) ? RANK.word : RANK.inside)
      at = bytes.indexOf(text, end)
    }
  }

/** Returns true when a word begins with a text, from an offset to before the end of a name. */
function hasWord(bytes: Buffer, text: Buffer, from: number, end: number): boolean {
  for (let at = from; at + text.length <= end; at += 1)
    if (isWordStart(bytes, at) && startsAt(bytes, text, at)) return true
  return false
}

function startsAt(bytes: Buffer, text: Buffer, at: number): boolean {
  for (let index = 0; index < text.length; index += 1) if (bytes[at + index] !== text[index]) return false
  return true
}

/** Returns the slot of the name at an offset of a block, from `slot` on. */
function slotAt(names: NameStore, { first, end }: Block, slot: number, at: number): number {
  const offset = names.startOf(first) + at
  if (names.startOf(slot + 1) > offset) return slot
  let [low, high] = [slot + 1, end]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (names.startOf(middle + 1) > offset) high = middle
    else low = middle + 1
  }
  return low
}

const isWordStart = (bytes: Buffer, at: number): boolean =>
  isSign(bytes[at - 1] ?? SEPARATOR) || isSign(bytes[at] ?? SEPARATOR)

/** Letters and digits of ASCII continue a word, and so does every other character beyond it. */
const isSign = (byte: number): boolean =>
  byte === SEPARATOR || (byte < 0x80 && !(byte >= 0x30 && byte <= 0x39) && !(byte >= 0x61 && byte <= 0x7a))
