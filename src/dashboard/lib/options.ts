import { texts } from '../texts.ts'
import { THEMES } from '../theme/theme.ts'

/** Options that several pages offer, with their texts. */

export const VISIBILITY_OPTIONS = (['public', 'private'] as const).map((value) => ({
  value,
  label: texts.visibility[value],
}))

export const THEME_OPTIONS = THEMES.map((value) => ({ value, label: texts.themes[value] }))
