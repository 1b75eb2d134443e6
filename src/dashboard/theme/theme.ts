import { createPreference } from '../lib/store.ts'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

export const themePreference = createPreference<Theme>('theme', THEMES, 'system')

export const DENSITIES = ['comfortable', 'compact'] as const
/** Height of rows in lists of files. */
export const densityPreference = createPreference('density', DENSITIES, 'comfortable')

/** Applies the chosen theme. The style sheet handles the system's theme. */
export function applyTheme(): void {
  const apply = () => {
    const theme = themePreference.get()
    if (theme === 'system') delete document.documentElement.dataset['theme']
    else document.documentElement.dataset['theme'] = theme
    for (const color of ['light', 'dark'] as const)
      document.getElementById(`${color}-color`)?.setAttribute('media', mediaOf(color, theme))
  }
  apply()
  themePreference.subscribe(apply)
}

/** Returns the media in which a color of the browser's own bars applies. */
const mediaOf = (color: 'light' | 'dark', theme: Theme): string =>
  theme === 'system' ? `(prefers-color-scheme: ${color})` : theme === color ? 'all' : 'not all'
