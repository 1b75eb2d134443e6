import { Search } from 'lucide-react'
import { useEffect } from 'react'
import { useCan } from '../api/session.ts'
import { IconButton } from '../components/fields/button.tsx'
import { lazyComponent } from '../components/lazy.tsx'
import { openPalette, palette } from '../lib/palette.ts'
import { hasCommand, isCovered, withCommand } from '../lib/shortcut.ts'
import { useStore } from '../lib/store.ts'
import { texts } from '../texts.ts'

/** Loads the search's chunk. */
export const loadPalette = () => import('./palette.tsx')

const LazyPalette = lazyComponent(loadPalette)

/** Search over all files, which Ctrl+K opens on every page. */
export function SearchPalette() {
  const opened = useStore(palette)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!hasCommand(event) || event.key.toLowerCase() !== 'k') return
      event.preventDefault()
      if (!isCovered()) openPalette()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
  return opened && <LazyPalette {...opened} />
}

/** Button of narrow screens that opens the search. */
export const PhoneSearchButton = () =>
  useCan('files:read') && (
    <IconButton icon={Search} label={texts.frame.search} onClick={() => openPalette()} />
  )

/** Button of the navigation that opens the search. */
export function SearchButton({ onOpen }: { onOpen?: (() => void) | undefined }) {
  if (!useCan('files:read')) return null
  const open = () => {
    onOpen?.()
    openPalette()
  }
  return (
    <button
      type="button"
      className="sidebar-link row gap-3 soft medium"
      title={texts.frame.search}
      onClick={open}
    >
      <Search aria-hidden size={18} />
      {texts.frame.search}
      <kbd className="menu-shortcut tiny soft" aria-hidden>
        {withCommand('K')}
      </kbd>
    </button>
  )
}
