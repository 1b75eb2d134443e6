import type { Right } from '../../client/index.ts'

/** Levels of rights in a folder, each with those of the one before. */
export const LEVELS = ['view', 'add', 'edit'] as const
export type Level = (typeof LEVELS)[number]

const RIGHTS: Record<Level, readonly Right[]> = {
  view: ['read'],
  add: ['read', 'write'],
  edit: ['read', 'write', 'delete'],
}

/** Returns the rights of a level, and that to share. */
export const rightsOf = (level: Level, mayShare: boolean): Right[] => [
  ...RIGHTS[level],
  ...(mayShare ? (['share'] as const) : []),
]

export const levelOf = (rights: readonly Right[]): Level =>
  rights.includes('delete') ? 'edit' : rights.includes('write') ? 'add' : 'view'
