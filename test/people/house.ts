import type { Stage } from '../browser/visitor.ts'
import type { User } from '../support/accounts.ts'
import type { Tally } from '../support/tally.ts'
import type { Guest } from './guest.ts'
import { Names, type Person, readTree, type Tree, viewOf } from './model.ts'

/** Instance with its admin and the limited accounts whose pages are compared. */
export class House {
  readonly stage: Stage
  readonly admin: User
  readonly tally: Tally
  /** Rights of every limited account, by ids of folders. */
  readonly everyone: Person['grants'] = new Map()
  readonly guests = new Map<string, Guest>()
  readonly names = new Names()
  #given = 0

  constructor(stage: Stage, admin: User, tally: Tally) {
    this.stage = stage
    this.admin = admin
    this.tally = tally
  }

  /** Returns a name that no other text contains. */
  named(word: string, ending = ''): string {
    this.#given += 1
    return `${word} zq${this.#given}qz${ending}`
  }

  guest(name: string): Guest {
    const guest = this.guests.get(name)
    if (!guest) throw new Error(`${name} has no page`)
    return guest
  }

  /** Reads everything, and notes what each guest sees of it. */
  async read(): Promise<Tree> {
    const tree = await readTree(this.stage.holdfast, this.admin.api)
    this.names.note(tree)
    for (const guest of this.guests.values()) guest.saw(this.viewOf(guest.person, tree), this.names)
    return tree
  }

  /** Returns the id of what is at an object key. */
  async idOf(key: string): Promise<string> {
    const found = (await this.read()).items.find((item) => item.key === key)
    if (!found) throw new Error(`Nothing is at ${key}`)
    return found.id
  }

  viewOf = (person: Person, tree: Tree) => viewOf(person, this.everyone, tree)

  /** Plays a step, then compares the pages of all guests with the model. */
  async step(what: string, play: () => Promise<unknown>): Promise<void> {
    const violations: string[] = []
    try {
      await play()
    } catch (error) {
      violations.push(`cannot be played: ${error}`)
    }
    const tree = await this.read()
    const found = await Promise.all(
      [...this.guests.values()].map((guest) =>
        guest
          .check(this.viewOf(guest.person, tree), this.names)
          .catch((error) => [`${guest.person.name} cannot be looked at: ${error}`]),
      ),
    )
    this.tally.judge(what, [...violations, ...found.flat()])
  }
}
