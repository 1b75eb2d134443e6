import { useEffect, useRef } from 'react'
import { hasCommand, isClaimed } from '../../lib/shortcut.ts'

interface PageKeys {
  search: () => void
  help: () => void
  /** Opens the folder above. */
  toParent: () => void
  selectAll: () => void
  clear: () => void
  undo: () => void
  /** Commands on the selection, also while the focus is on none of its items. */
  remove: () => void
  removeForGood: () => void
  rename: () => void
  star: () => void
}

/** Listens to the keys of the page, wherever the focus is. Fields, menus and dialogs handle their own. */
export function usePageKeys(keys: PageKeys): void {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const action = isClaimed(event) ? undefined : actionOf(event)
      if (!action) return
      event.preventDefault()
      latest.current[action]()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
}

const COMMANDS: Record<string, keyof PageKeys> = { a: 'selectAll', z: 'undo' }

function actionOf(event: KeyboardEvent): keyof PageKeys | undefined {
  const { key, altKey, shiftKey, repeat } = event
  // Caps Lock makes letters capital.
  if (hasCommand(event)) return shiftKey ? undefined : COMMANDS[key.toLowerCase()]
  if (altKey) return key === 'ArrowUp' ? 'toParent' : undefined
  if (key === 'Delete') return repeat ? undefined : shiftKey ? 'removeForGood' : 'remove'
  const actions: Record<string, keyof PageKeys> = {
    '/': 'search',
    '?': 'help',
    Backspace: 'toParent',
    Escape: 'clear',
    F2: 'rename',
    '*': 'star',
  }
  return actions[key]
}
