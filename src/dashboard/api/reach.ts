import type { Right } from '../../client/index.ts'
import { isWithin, trailOf } from '../lib/paths.ts'
import { texts } from '../texts.ts'
import { knownMe, type Me, useCan, useMe } from './session.ts'

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
  /** Topmost folders that the account reaches, and those inside in which it has more rights. */
  granted: readonly Entry[]
  /** Name of the top: all files, or the folders of a limited account. */
  top: string
  /** Returns true if the account has a right in the folder at an object key. */
  may: (right: Right, folder: string) => boolean
  /** Returns true if the account has a right in some folder. */
  maySomewhere: (right: Right) => boolean
  /** Returns the right that a move from one folder to another lacks. */
  missingToMove: (from: string, to: string) => Right | undefined
  /** Returns the folders on the way to a folder that the account sees, with itself, from the top. */
  trailTo: (folder: string) => { name: string; key: string }[]
}

const entryOf = ({ key, rights }: { key: string | null; rights: readonly Right[] }): Entry[] =>
  key === null ? [] : [{ key, rights }]

function reachOf({ folders, nested = [] }: Pick<Me, 'folders' | 'nested'>): Reach {
  const entries = folders?.flatMap(entryOf)
  const granted = [...(entries ?? []), ...nested.flatMap(entryOf)]
  const top = { name: entries ? texts.files.yours : texts.files.root, key: '' }
  const isSeen = (key: string) => !entries || entries.some((entry) => isWithin(key, entry.key))
  const may = (right: Right, folder: string) =>
    !entries || granted.some(({ key, rights }) => rights.includes(right) && isWithin(folder, key))
  /** True for a move out of the topmost folder through which the account has what moves, or to where it may delete. */
  const leaves = (from: string, to: string) =>
    may('delete', to) || entries?.some(({ key }) => isWithin(from, key) && isWithin(to, key)) === false
  return {
    ...{ entries, granted, may },
    top: top.name,
    maySomewhere: (right) => !entries || granted.some(({ rights }) => rights.includes(right)),
    missingToMove: (from, to) => {
      if (!may('write', to)) return 'write'
      return leaves(from, to) && !may('delete', from) ? 'delete' : undefined
    },
    trailTo: (folder) => {
      const seen = trailOf(folder).filter(({ key }) => isSeen(key))
      return entries?.length === 1 && seen.length > 0 ? seen : [top, ...seen]
    },
  }
}

/** Returns the part of the tree that the account reaches. */
export const useReach = (): Reach => reachOf(useMe())

/** Returns the part of the tree that the account reaches, as it is known now. */
export const readReach = (): Reach => reachOf(knownMe() ?? { folders: [] })

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
