import * as Radix from '@radix-ui/react-dialog'
import { Outlet, useLocation } from '@tanstack/react-router'
import { Menu as MenuIcon } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useCan } from '../api/session.ts'
import { IconButton } from '../components/button.tsx'
import { HomeLink, Logo } from '../components/logo.tsx'
import { PAGES } from '../pages.ts'
import { texts } from '../texts.ts'
import { ConflictDialog } from '../uploads/conflict-dialog.tsx'
import { DropZone } from '../uploads/drop-zone.tsx'
import { UploadPanel } from '../uploads/panel.tsx'
import { NotFound } from './not-found.tsx'
import { Sidebar } from './sidebar.tsx'
import { usePages } from './use-pages.ts'

/** What stands around every page: the navigation, and uploads that go on whatever page is open. */
export function Shell() {
  const mayWrite = useCan('files:write')
  usePreloadedPages()
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
      {mayWrite && <DropZone />}
      {mayWrite && <UploadPanel />}
      {mayWrite && <ConflictDialog />}
    </div>
  )
}

/** Milliseconds after which a browser that does not tell when it is idle has drawn its first page. */
const IDLE_MS = 2000

/** Loads the pages that are not open yet, so that they open at once, also when the server is away by then. */
function usePreloadedPages(): void {
  const pages = usePages()
  const isDone = useRef(false)
  useEffect(() => {
    if (isDone.current) return
    isDone.current = true
    const preload = async () => {
      for (const { load } of pages) await load().catch(() => undefined)
    }
    if ('requestIdleCallback' in window) requestIdleCallback(() => void preload())
    else setTimeout(() => void preload(), IDLE_MS)
  }, [pages])
}

/** The frame without what only the account tells, for as long as that cannot be read. */
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

/** For who may not see a page there is nothing at its address. */
function AllowedPage() {
  const { pathname } = useLocation()
  const allowed = usePages()
  const page = PAGES.find(({ path }) => path === pathname.replace(/\/$/, ''))
  return !page || allowed.includes(page) ? <Outlet /> : <NotFound />
}

/** On narrow screens the navigation waits behind a button. */
function PhoneBar() {
  const [isOpen, setOpen] = useState(false)
  return (
    <header className="phone-bar">
      <HomeLink />
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
