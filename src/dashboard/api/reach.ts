import type { Right } from '../../client/index.ts'
import { isWithin, trailOf } from '../lib/paths.ts'
import { texts } from '../texts.ts'
import { useCan, useMe } from './session.ts'

export type { Right }

/** Folder that an account was let into, as it stands in the tree. */
interface Entry {
  key: string
  rights: readonly Right[]
}

/** Part of the tree that the account reaches. Outside, its requests would be refused. */
export interface Reach {
  /** Topmost folders that the account reaches; undefined when it reaches everything. */
  entries: readonly Entry[] | undefined
  /** Name of the top: all files, or the folders of a limited account. */
  top: string
  /** Returns true if the account has a right in the folder at an object key. */
  may: (right: Right, folder: string) => boolean
  /** Returns true if the account has a right in some folder. */
  maySomewhere: (right: Right) => boolean
  /** Returns the folders on the way to a folder that the account sees, with itself, from the top. */
  trailTo: (folder: string) => { name: string; key: string }[]
}

const entryOf = ({ key, rights }: { key: string | null; rights: readonly Right[] }): Entry[] =>
  key === null ? [] : [{ key, rights }]

/** Returns the part of the tree that the account reaches. */
export function useReach(): Reach {
  const { folders, nested = [] } = useMe()
  const entries = folders?.flatMap(entryOf)
  const granted = [...(entries ?? []), ...nested.flatMap(entryOf)]
  const top = { name: entries ? texts.files.yours : texts.files.root, key: '' }
  const isSeen = (key: string) => !entries || entries.some((entry) => isWithin(key, entry.key))
  return {
    entries,
    top: top.name,
    may: (right, folder) =>
      !entries || granted.some(({ key, rights }) => rights.includes(right) && isWithin(folder, key)),
    maySomewhere: (right) => !entries || granted.some(({ rights }) => rights.includes(right)),
    trailTo: (folder) => {
      const seen = trailOf(folder).filter(({ key }) => isSeen(key))
      return entries?.length === 1 && seen.length > 0 ? seen : [top, ...seen]
    },
  }
}

/** Returns the function that tells if the account may upload to the folder at an object key, and change it. */
export function useMayWriteIn(): (folder: string) => boolean {
  const mayWrite = useCan('files:write')
  const { may } = useReach()
  return (folder) => mayWrite && may('write', folder)
}

/** Returns true if the account can paste copies somewhere. */
export function useMayCopy(): boolean {
  const { maySomewhere } = useReach()
  return useCan('files:write') && maySomewhere('write')
}
