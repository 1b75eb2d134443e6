/** Characters before the extension that stay in view: numbers at the end tell files of a series apart. */
const TAIL = 4
/** Maximum length of what counts as an extension. */
const MAX_EXTENSION = 12

/** Returns the extension of a name without its dot; empty if there is none. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot > 0 && name.length - dot <= MAX_EXTENSION ? name.slice(dot + 1) : ''
}

/** Splits a name into a start that may be cut short, and an end with the extension that stays in view. */
export function splitName(name: string): [start: string, end: string] {
  const extension = extensionOf(name)
  const length = TAIL + (extension === '' ? 0 : extension.length + 1)
  // Whole characters: half of a surrogate pair is none.
  const characters = [...name]
  if (characters.length <= length + TAIL) return [name, '']
  return [characters.slice(0, -length).join(''), characters.slice(-length).join('')]
}
