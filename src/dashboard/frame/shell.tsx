import * as Radix from '@radix-ui/react-dialog'
import { Outlet, useLocation } from '@tanstack/react-router'
import { Menu as MenuIcon } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useCan } from '../api/session.ts'
import { IconButton } from '../components/fields/button.tsx'
import { lazyComponent } from '../components/lazy.tsx'
import { HomeLink, Logo } from '../components/logo.tsx'
import { useEscape } from '../components/overlays/layers.ts'
import { PAGES } from '../pages.ts'
import { receiveFiles } from '../received/files.ts'
import { texts } from '../texts.ts'
import { ConflictDialog } from '../uploads/conflict-dialog.tsx'
import { DropZone } from '../uploads/drop-zone.tsx'
import { NotFound } from './not-found.tsx'
import { loadPalette, PhoneSearchButton, SearchPalette } from './search.tsx'
import { Sidebar } from './sidebar.tsx'
import { usePages } from './use-pages.ts'

const UploadPanel = lazyComponent(() => import('../uploads/panel.tsx'), { isQuiet: true })

/** Frame around every page: the navigation, and the uploads, which continue on every page. */
export function Shell() {
  const mayWrite = useCan('files:write')
  const mayRead = useCan('files:read')
  usePreloadedPages()
  useLiveChanges()
  useEffect(() => {
    if (mayWrite) whenIdle(() => void receiveFiles().catch(() => undefined))
  }, [mayWrite])
  return (
    <div className="shell">
      <a className="skip-link" href="#content">
        {texts.frame.skip}
      </a>
      <div className="shell-side">
        <Sidebar />
      </div>
      <PhoneBar />
      <main id="content" className="shell-content" tabIndex={-1}>
        <AllowedPage />
      </main>
      {mayRead && <SearchPalette />}
      {mayWrite && <DropZone />}
      {mayWrite && <UploadPanel />}
      {mayWrite && <ConflictDialog />}
    </div>
  )
}

/** Milliseconds until a browser without `requestIdleCallback` has drawn its first page. */
const IDLE_MS = 2000

/** Preloads the other pages and the search, so that they open at once, also without the server. */
function usePreloadedPages(): void {
  const pages = usePages()
  const isDone = useRef(false)
  useEffect(() => {
    if (isDone.current) return
    isDone.current = true
    const preload = async () => {
      for (const load of [...pages.map((page) => page.load), loadPalette]) await load().catch(() => undefined)
    }
    whenIdle(() => void preload())
  }, [pages])
}

function whenIdle(work: () => void): void {
  if ('requestIdleCallback' in window) requestIdleCallback(work)
  else setTimeout(work, IDLE_MS)
}

/** Shows changes by others while they happen, once the page is there. */
function useLiveChanges(): void {
  useEffect(() => {
    const leave = new AbortController()
    const start = async () => {
      const { watchChanges } = await import('../live/live.ts')
      await watchChanges(leave.signal)
    }
    whenIdle(() => void start().catch(() => undefined))
    return () => leave.abort()
  }, [])
}

/** Frame without an account, while the account cannot be read. */
export const BareShell = ({ children }: { children: ReactNode }) => (
  <div className="shell">
    <div className="shell-side">
      <div className="sidebar">
        <Logo />
      </div>
    </div>
    <header className="phone-bar">
      <Logo />
    </header>
    <main className="shell-content">
      <div className="page">{children}</div>
    </main>
  </div>
)

/** Page at the address, or "not found" without permission. */
function AllowedPage() {
  const { pathname } = useLocation()
  const allowed = usePages()
  const page = PAGES.find(({ path }) => path === pathname.replace(/\/$/, ''))
  return !page || allowed.includes(page) ? <Outlet /> : <NotFound />
}

/** Bar of narrow screens, with a button that opens the navigation. */
function PhoneBar() {
  const [isOpen, setOpen] = useState(false)
  useEscape(() => setOpen(false), isOpen)
  return (
    <header className="phone-bar">
      <HomeLink />
      <PhoneSearchButton />
      <Radix.Root open={isOpen} onOpenChange={setOpen}>
        <Radix.Trigger asChild>
          <IconButton icon={MenuIcon} label={texts.frame.menu} />
        </Radix.Trigger>
        <Radix.Portal>
          <div className="dialog-backdrop" />
          <Radix.Content className="drawer" aria-describedby={undefined}>
            <Radix.Title className="visually-hidden">{texts.frame.menu}</Radix.Title>
            <Sidebar onNavigate={() => setOpen(false)} />
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </header>
  )
}
