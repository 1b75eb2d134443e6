import type { LucideIcon } from 'lucide-react'
import { useEffect } from 'react'
import { createStore } from './store.ts'

/** Command of a menu and of the palette. */
export interface MenuCommand {
  label: string
  icon: LucideIcon
  shortcut?: string
  isDanger?: boolean
  /** Address that it opens, in a tab of its own. */
  href?: string
  /** Reason for which it is disabled. */
  problem?: string | undefined
  run: () => void
}

/** Commands of a menu, with a line between the groups. */
export type MenuGroups = readonly (readonly MenuCommand[])[]

/** Commands of the open page, with the name of what they are about. */
export interface PageCommands {
  about: string
  groups: MenuGroups
}

/** Command as the palette lists it. */
export interface Command extends MenuCommand {
  id: string
  /** Name of its subject, or of a kind of commands. */
  about: string
}

/** Returns the commands of the open page as they are now. */
export const pageCommands = createStore<() => PageCommands[]>(() => [])

/** Offers the commands of a page in the palette while the page is shown. */
export function usePageCommands(commandsOf: () => PageCommands[]): void {
  useEffect(() => pageCommands.set(() => commandsOf))
  useEffect(() => () => pageCommands.set(() => () => []), [])
}

/** Search over all files, while it is open. */
export interface Palette {
  /** Text to begin with. */
  text: string
  /** Object key of the folder to search first; all folders without one. */
  within?: string | undefined
}

export const palette = createStore<Palette | undefined>(undefined)

export const openPalette = (opened: Palette = { text: '' }) => palette.set(() => opened)
export const closePalette = () => palette.set(() => undefined)
