/** True where shortcuts use the Command key. */
const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** Returns a shortcut as this system writes it, such as `Ctrl+C` or `⌘C`. */
export const withCommand = (key: string) => (isApple ? `⌘${key}` : `Ctrl+${key}`)
export const withShift = (key: string) => (isApple ? `⇧${key}` : `Shift+${key}`)
export const withAlt = (key: string) => (isApple ? `⌥${key}` : `Alt+${key}`)

interface Keys {
  ctrlKey: boolean
  metaKey: boolean
}

/** True for the key of shortcuts: Command on Apple's systems, Ctrl on others. */
export const hasCommand = ({ ctrlKey, metaKey }: Keys) => (isApple ? metaKey : ctrlKey)

/** Elements that handle all keys while they are open. The details stand beside a list that stays usable. */
const CLAIMED = '[role=dialog]:not(.details-panel), [role=menu], .viewer'

/** True while a dialog, a menu or a preview handles all keys. */
export const isCovered = () => document.querySelector(CLAIMED) !== null

/** True for a key that belongs to a field, an open dialog or a menu, or that was handled already. */
export function isClaimed({ defaultPrevented, target }: Event): boolean {
  if (defaultPrevented || isCovered()) return true
  return target instanceof Element && target.closest('input:not([type=checkbox]), textarea, select') !== null
}
