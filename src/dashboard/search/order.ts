import { fold, rankOf } from '../../platform/fold.ts'
import { compareNaturally } from '../lib/natural.ts'

/** Milliseconds between two files that count as added together, such as the photos of one upload. */
const TOGETHER_MS = 60_000

/** Puts matches of one rank that were added together in the order of their names. */
export function orderEqual<One extends { name: string; createdAt: string }>(
  found: readonly One[],
  text: string,
): One[] {
  const rank = ({ name }: One) => rankOf(fold(name), fold(text))
  const groups: One[][] = []
  for (const one of found) {
    const group = groups.at(-1)
    const last = group?.at(-1)
    const isEqual = last && rank(last) === rank(one) && timeOf(last) - timeOf(one) <= TOGETHER_MS
    if (group && isEqual) group.push(one)
    else groups.push([one])
  }
  return groups.flatMap((group) => group.toSorted((a, b) => compareNaturally(a.name, b.name)))
}

const timeOf = ({ createdAt }: { createdAt: string }) => Date.parse(`${createdAt.replace(' ', 'T')}Z`)
