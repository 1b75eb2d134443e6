import { createPreference } from '../lib/preference.ts'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

export const themePreference = createPreference<Theme>('theme', THEMES, 'system')

/** Applies the chosen theme. The style sheet handles the system's theme. */
export function applyTheme(): void {
  const apply = () => {
    const theme = themePreference.get()
    if (theme === 'system') delete document.documentElement.dataset['theme']
    else document.documentElement.dataset['theme'] = theme
  }
  apply()
  themePreference.subscribe(apply)
}
