import { Compass, Menu as MenuIcon } from 'lucide-react'
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { mustAddFactor } from '../api/query.ts'
import { useCan } from '../api/session.ts'
import { IconButton } from '../components/fields/button.tsx'
import { HomeLink, Logo } from '../components/icons.tsx'
import { Boundary, lazyComponent } from '../components/lazy.tsx'
import { Empty, Failure, Loading } from '../components/notice.tsx'
import { returnFocus, useEscape } from '../components/overlays/layers.ts'
import { loadMenus } from '../components/overlays/menu.tsx'
import { Page } from '../components/page.tsx'
import { untilFirstView } from '../first-view.ts'
import { useTakeover } from '../lib/first-frame.ts'
import { Link, Navigate, usePlace } from '../lib/router.tsx'
import { useStore } from '../lib/store.ts'
import { loadOverlays } from '../pages/files/page.tsx'
import { usePages } from '../pages.ts'
import { receiveFiles } from '../received/files.ts'
import { loadPalette, PhoneSearchButton, SearchPalette } from '../search/opener.tsx'
import { texts } from '../texts.ts'
import { DropZone } from '../uploads/drop-zone.tsx'
import { areUploadsWanted } from '../uploads/start.ts'
import { AccountDialogs } from './account-commands.tsx'
import { Sidebar } from './sidebar.tsx'

const Uploads = lazyComponent(() => import('../uploads/uploads.tsx'), { isQuiet: true })
const Drawer = lazyComponent(() => import('./drawer.tsx'), { isQuiet: true })

/** Frame around every page: the navigation, and the uploads, which continue on every page. */
export function Shell() {
  const mayWrite = useCan('files:write')
  const mayRead = useCan('files:read')
  const isViewShown = useFirstView()
  const areWanted = useStore(areUploadsWanted)
  useTakeover()
  usePreloadedPages(isViewShown)
  useLiveChanges(isViewShown)
  useEffect(() => {
    if (mayWrite && isViewShown) void receiveFiles().catch(() => undefined)
  }, [mayWrite, isViewShown])
  return (
    <div className={`shell ${isViewShown ? '' : 'is-first'}`}>
      <a className="skip-link" href="#content">
        {texts.frame.skip}
      </a>
      <div className="shell-side">
        <Sidebar />
      </div>
      <PhoneBar />
      <main id="content" className="shell-content focus-place" tabIndex={-1}>
        <AllowedPage />
      </main>
      <AccountDialogs />
      {mayRead && <SearchPalette />}
      {mayWrite && <DropZone />}
      {mayWrite && (isViewShown || areWanted) && <Uploads />}
    </div>
  )
}

/** Returns true once the first page is there: until then, nothing else shares the connection with it. */
function useFirstView(): boolean {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    void untilFirstView().then(() => setShown(true))
  }, [])
  return isShown
}

/** Preloads what a click may open, so that it opens at once, also without the server. */
function usePreloadedPages(isViewShown: boolean): void {
  const pages = usePages()
  const isDone = useRef(false)
  useEffect(() => {
    if (isDone.current || !isViewShown) return
    isDone.current = true
    const preload = async () => {
      const overlays = [loadMenus, loadOverlays, Drawer.load]
      for (const load of [...overlays, ...pages.flatMap((page) => page.load ?? []), loadPalette])
        await load().catch(() => undefined)
    }
    void preload()
  }, [pages, isViewShown])
}

/** Shows changes by others while they happen, once the page is there. */
function useLiveChanges(isViewShown: boolean): void {
  useEffect(() => {
    if (!isViewShown) return
    const leave = new AbortController()
    const start = async () => {
      const { watchChanges } = await import('../live/live.ts')
      await watchChanges(leave.signal)
    }
    void start().catch(() => undefined)
    return () => leave.abort()
  }, [isViewShown])
}

/** Frame without an account, while the account cannot be read. */
export const BareShell = ({ children }: { children: ReactNode }) => (
  <div className="shell">
    <div className="shell-side">
      <div className="sidebar column scroll">
        <Logo />
      </div>
    </div>
    <header className="phone-bar">
      <Logo />
    </header>
    <main className="shell-content">
      <div className="page column gap-4">{children}</div>
    </main>
  </div>
)

/** Page at the address, or "not found" without permission. The root shows the first page that the account can open. */
function AllowedPage() {
  const { pathname } = usePlace()
  const allowed = usePages()
  const isAtRoot = pathname === '/' || pathname === '/sign-in'
  const page = allowed.find(({ path }) => path === (isAtRoot ? allowed[0]?.path : pathname))
  if (useStore(mustAddFactor) && pathname !== '/account') return <Navigate to="/account" replace />
  if (!page) return <NotFound />
  if (isAtRoot) return <Navigate to={page.path} replace />
  return (
    <Boundary key={page.path} fallback={(error, retry) => <Failure error={error} onRetry={retry} />}>
      <Suspense fallback={<Loading />}>
        <page.component />
      </Suspense>
    </Boundary>
  )
}

/** Bar of narrow screens, with a button that opens the navigation. */
function PhoneBar() {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  useEscape(() => setOpen(false), isOpen)
  return (
    <header className="phone-bar">
      <HomeLink />
      <PhoneSearchButton />
      <IconButton
        ref={button}
        icon={MenuIcon}
        label={texts.frame.menu}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        data-state={isOpen ? 'open' : 'closed'}
        onClick={() => setOpen(!isOpen)}
      />
      {isOpen && <Drawer onClose={() => setOpen(false)} onClosed={() => returnFocus(button.current)} />}
    </header>
  )
}

export function NotFound() {
  return (
    <Page title={texts.notFound.title}>
      <Empty icon={Compass} title={texts.notFound.lead}>
        <p>{texts.notFound.text}</p>
        <Link to="/">{texts.notFound.home}</Link>
      </Empty>
    </Page>
  )
}
