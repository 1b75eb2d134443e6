import { createStore } from './store.ts'

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
