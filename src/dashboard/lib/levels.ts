import type { Right } from '../../client/index.ts'
import { rightsTexts } from '../texts/rights.ts'

/** Levels of rights in a folder, each with those of the one before. */
export const LEVELS = ['view', 'add', 'edit'] as const
/** Level of rights in a folder; the last one is given by programs only. */
export type Level = (typeof LEVELS)[number] | 'clear'

const RIGHTS: Record<Level, readonly Right[]> = {
  view: ['read'],
  add: ['read', 'write'],
  edit: ['read', 'write', 'delete'],
  clear: ['read', 'delete'],
}

/** Returns the rights of a level, and that to share. */
export const rightsOf = (level: Level, mayShare: boolean): Right[] => [
  ...RIGHTS[level],
  ...(mayShare ? (['share'] as const) : []),
]

/** Returns the level of rights, whether they include that to share or not. */
export function levelOf(rights: readonly Right[]): Level {
  const mayAdd = rights.includes('write')
  if (rights.includes('delete')) return mayAdd ? 'edit' : 'clear'
  return mayAdd ? 'add' : 'view'
}

/** Returns rights in words, such as `Can add, may share outside`. */
export const describeRights = (rights: readonly Right[]): string =>
  rightsTexts.describe(rightsTexts.levels[levelOf(rights)], rights.includes('share'))
