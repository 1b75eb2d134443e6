import type { Answer, Operation } from './operation.ts'
import { type Event, explain, type Verdict } from './search.ts'
import type { Tree } from './tree.ts'

/** Operation of a client with its response, and the times of both on one logical clock. */
export interface Made extends Event<Tree> {
  client: string
  operation: Operation
  answer: Answer
}

/** Operations of a round, and the tree before them. */
export interface History {
  initial: Tree
  made: readonly Made[]
}

export const verdictOf = ({ initial, made }: History): Verdict => explain(initial, made)

/** Records operations as they begin and end. */
export class Recorder {
  readonly made: Made[] = []
  #now = 0

  async record(client: string, operation: Operation, perform: () => Promise<Answer>): Promise<Answer> {
    const begin = this.#tick()
    const answer = await perform()
    const end = this.#tick()
    for (const [part, told] of operation.split?.(answer) ?? [[operation, answer] as const])
      this.made.push({
        client,
        operation: part,
        answer: told,
        begin,
        end,
        apply: (tree) => part.apply(tree, told),
      })
    return answer
  }

  #tick(): number {
    this.#now += 1
    return this.#now
  }
}

/**
 * Cuts the history after the first response that no order explains, and removes operations that the violation does not
 * need. Operations that write, or that reveal an id first, remain: without them other responses would look wrong.
 */
export function shorten(history: History): History {
  let short = cutAtViolation(history)
  for (const event of short.made.toSorted((a, b) => b.begin - a.begin)) {
    const others = short.made.filter((other) => other !== event)
    if (changes(event) || (!event.isPending && tellsFirst(event, others))) continue
    const without = { ...short, made: others }
    if (verdictOf(without).kind === 'unexplained') short = without
  }
  return short
}

function cutAtViolation(history: History): History {
  for (const { end } of history.made.toSorted((a, b) => a.end - b.end)) {
    const made = history.made
      .filter(({ begin }) => begin < end)
      .map((event) => (event.end > end ? { ...event, isPending: true } : event))
    const cut = { ...history, made }
    if (verdictOf(cut).kind === 'unexplained') return cut
  }
  return history
}

const READING = /^(look|list|browse|checksums|totals|open|download|sign|archive|stats|settings|begin)/

const changes = ({ operation, answer }: Made): boolean =>
  !READING.test(operation.text) && (answer.status === 0 || answer.status < 400)

/** Returns true when a response reveals one of its ids before all others. */
function tellsFirst({ answer, end }: Made, others: readonly Made[]): boolean {
  const earlier = others.filter((other) => other.end < end).map((other) => JSON.stringify(other.answer.data))
  return idsIn(answer).some((id) => !earlier.some((text) => text?.includes(id)))
}

const idsIn = ({ data }: Answer): string[] =>
  [...(JSON.stringify(data) ?? '').matchAll(/"(?:id|folderId|parentId)":"([^"]+)"/g)].map(([, id = '']) => id)

/** Characters of a response that a line shows. */
const MAX_ANSWER = 2000

/** Formats a history: one line for each operation, in the order of their begins. */
export function describe(history: History): string {
  const { made } = history
  const verdict = verdictOf(history)
  const longest = verdict.kind === 'unexplained' ? verdict.longest : []
  const lines = made
    .map((event, index) => ({ event, index }))
    .toSorted((a, b) => a.event.begin - b.event.begin)
    .map(({ event, index }) => {
      const place = longest.indexOf(index)
      const order = place === -1 ? '   -' : String(place + 1).padStart(4)
      const end = event.isPending ? '' : event.end
      return `${order} ${event.client.padEnd(6)} ${event.begin}..${end} ${lineOf(event)}`
    })
  return ['order client begin..end operation -> answer', ...lines].join('\n')
}

const lineOf = ({ operation, answer }: Made) =>
  `${operation.text} -> ${answer.status} ${shown(answer).slice(0, MAX_ANSWER)}`

const shown = ({ data, bytes }: Answer): string =>
  data === undefined || data === null
    ? JSON.stringify(Buffer.from(bytes).toString().slice(0, MAX_ANSWER))
    : JSON.stringify(data, (name, value) => (OF_NO_MATTER.has(name) ? undefined : value))

const OF_NO_MATTER = new Set(['createdAt', 'updatedAt', 'mimeType', 'url', 'added', 'hosting', 'sha256'])
