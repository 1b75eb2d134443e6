import { InvalidArgumentError } from 'commander'
import type { Right } from '../client/index.ts'

const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Parses a duration such as `7d` into seconds. @throws {InvalidArgumentError} */
export function seconds(text: string): number {
  const [, amount, unit = 's'] = /^(\d{1,10})([smhd])?$/.exec(text) ?? []
  if (amount === undefined) throw new InvalidArgumentError('Use a duration such as 90s, 15m, 12h or 7d.')
  return Number(amount) * (SECONDS[unit] ?? 1)
}

/** Parses a number of things, at least 1. @throws {InvalidArgumentError} */
export function wholeCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number, at least 1.')
}

const UNITS = ['', 'K', 'M', 'G', 'T']

/** Parses a size such as `2GiB` into bytes. @throws {InvalidArgumentError} */
export function byteCount(text: string): number {
  const [, amount, unit = ''] = /^([1-9]\d{0,8})(?:([KMGT])iB)?$/.exec(text) ?? []
  if (amount === undefined) throw new InvalidArgumentError('Use a size such as 500MiB or 2GiB.')
  return Number(amount) * 1024 ** UNITS.indexOf(unit)
}

/** Folder by its key, with rights in it. */
export interface FolderWithRights {
  key: string
  rights: readonly Right[]
}

/** Rights by the words of the dashboard. */
const LEVELS: Record<string, readonly Right[]> = {
  view: ['read'],
  add: ['read', 'write'],
  edit: ['read', 'write', 'delete'],
}

/** Parses a folder such as `clients/acme=edit+share`, and adds it to those before. @throws {InvalidArgumentError} */
export function folderWithRights(text: string, before: readonly FolderWithRights[]): FolderWithRights[] {
  const [, key, level = '', share] = /^(.+)=(view|add|edit)(\+share)?$/.exec(text) ?? []
  const rights = LEVELS[level]
  if (key === undefined || rights === undefined)
    throw new InvalidArgumentError(
      'Use a folder with view, add or edit, such as family=view or clients/acme=edit+share.',
    )
  return [...before, { key, rights: share === undefined ? rights : [...rights, 'share'] }]
}
