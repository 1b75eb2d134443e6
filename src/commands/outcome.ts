import { count } from '../platform/amounts.ts'
import type { Change } from '../store/folder/adopt.ts'
import type { ObjectChange } from '../store/objects/apply-repair.ts'

/** Kinds of changes that a repair makes. */
type Kind = Exclude<(Change | ObjectChange)['kind'], 'leave'> | 'take accounts' | 'finish operation'

/** Thing that a change is about, and what was done to it. */
const DONE: Readonly<Record<Kind, [thing: string, done: string]>> = {
  'take accounts': ['set of accounts', 'taken over'],
  'finish operation': ['operation', 'finished'],
  'add folder': ['folder', 'added'],
  'add file': ['file', 'added'],
  'update file': ['file', 'updated'],
  'add version': ['version', 'added'],
  'add to trash': ['item', 'added to the trash'],
  'drop file': ['record', 'dropped'],
  'drop folder': ['record', 'dropped'],
  'drop version': ['record', 'dropped'],
  'drop trashed file': ['record', 'dropped'],
  'drop trashed folder': ['record', 'dropped'],
  'drop blob': ['record', 'dropped'],
  'drop rows': ['broken reference', 'dropped'],
  'record damage': ['file', 'recorded as damaged'],
  'clear damage': ['file', 'recorded as intact'],
  'restore bytes': ['file', 'restored from a backup'],
  'keep blob': ['object', 'kept'],
}

/** Past forms of the verbs that begin the description of a change. */
const PAST: Readonly<Record<string, string>> = {
  add: 'Added',
  drop: 'Dropped',
  keep: 'Kept',
  leave: 'Left',
  record: 'Recorded',
  restore: 'Restored',
  take: 'Took',
}

/** Returns the description of a change as made, or as one that would be made. */
export const told = (description: string, isMade: boolean): string =>
  isMade ? description.replace(/^\w+/, (verb) => PAST[verb] ?? verb) : `Would ${description}`

/** Names of the place of the bytes in messages. */
export interface Words {
  place: string
  unchanged: string
}

/** Changes of a repair by kind, and what it leaves alone because only a person can decide about it. */
export class Outcome {
  /** Number of entries that are left alone. */
  left = 0
  /** Number of objects that were sent again. */
  sent = 0
  #changes = 0
  readonly #done = new Map<string, [thing: string, done: string, number: number]>()

  add(kind: Kind | 'leave', number = 1): void {
    if (kind === 'leave') this.left += number
    else if (number > 0) {
      const [thing, done] = DONE[kind]
      const [, , before = 0] = this.#done.get(thing + done) ?? []
      this.#done.set(thing + done, [thing, done, before + number])
      this.#changes += number
    }
  }

  /** Returns the line at the end of a repair. */
  summary({ yes }: { yes: boolean }, { place, unchanged }: Words): string {
    const [changes, left] = [this.#changes, this.left]
    if (changes === 0 && left === 0) return `${place} and catalog agree`
    const rest =
      left === 0 ? '' : ` ${left === 1 ? 'One entry needs' : `${left} entries need`} a decision: see above.`
    if (changes === 0) return `Nothing to change.${rest}`
    if (!yes)
      return `${count(changes, 'change')} to make. Nothing was changed: add --yes to make them.${rest}`
    const done = [...this.#done.values()].map(([thing, done, number]) => `${count(number, thing)} ${done}`)
    return `${count(changes, 'change')} made: ${done.join(', ')}. ${unchanged}.${rest}`
  }
}
