import type { TreeContext } from '../access/context.ts'
import { findNumber, numberedName } from '../platform/names.ts'

/** Place of a file that is to be stored. */
interface Place {
  /** Names from the root to the folder. */
  folder: readonly string[]
  name: string
}

/** Returns the key of a file. */
export const keyOf = ({ folder, name }: Place): string => [...folder, name].join('/')

interface Choice {
  /** Returns true when the file that was sent with the name `sent` cannot be stored at a place. */
  isTaken: (place: Place, sent: string) => Promise<boolean>
  /** Returns the error for a name beside which none is free. */
  refuse: (name: string) => Error
}

/**
 * Chooses a name for each file that is free in its folder, and that no other of them has: its own, or one with a number.
 * Returns them in the order of the files.
 */
export async function chooseNames(
  { nextTurn }: Pick<TreeContext, 'nextTurn'>,
  files: readonly Place[],
  { isTaken, refuse }: Choice,
): Promise<string[]> {
  const names: string[] = []
  const chosen = new Set<string>()
  /** First number to try by the key that was sent: files of one name do not look for the same ones again. */
  const next = new Map<string, number>()
  for (const file of files) {
    await nextTurn()
    const { folder, name: sent } = file
    const item = { name: sent, kind: 'file' } as const
    const number = await findNumber(
      item,
      async (name) => chosen.has(keyOf({ folder, name })) || isTaken({ folder, name }, sent),
      next.get(keyOf(file)),
    )
    if (number === undefined) throw refuse(sent)
    const name = numberedName(item, number)
    next.set(keyOf(file), number + 1)
    chosen.add(keyOf({ folder, name }))
    names.push(name)
  }
  return names
}
