import { BookOpen, Braces, ChevronsUpDown, CircleUserRound, Keyboard, LogOut } from 'lucide-react'
import { useState } from 'react'
import { useMe, useSignOut } from '../api/session.ts'
import { cancelJobs, isJobRunning } from '../bulk/job.ts'
import { THEME_OPTIONS } from '../components/fields/select.tsx'
import { HomeLink } from '../components/icons.tsx'
import { lazyComponent } from '../components/lazy.tsx'
import { Menu, MenuChoice, MenuItem, MenuLink, MenuSeparator } from '../components/overlays/menu.tsx'
import { API_DOCS, DOCS } from '../lib/paths.ts'
import { Link, navigate } from '../lib/router.tsx'
import { useMedia, usePreference } from '../lib/store.ts'
import { usePages } from '../pages.ts'
import { SearchButton } from '../search/opener.tsx'
import { browseTexts } from '../texts/browse.ts'
import { texts } from '../texts.ts'
import { themePreference } from '../theme/theme.ts'
import { queue } from '../uploads/collect.ts'
import { dropTarget, TRASH_TARGET } from '../uploads/drop-zone.tsx'

const Confirm = lazyComponent(() => import('../components/overlays/confirm.tsx'), { isQuiet: true })

const KeyboardHelp = lazyComponent(() => import('../pages/files/dialogs/keyboard-help.tsx'), {
  isQuiet: true,
})

interface SidebarProps {
  /** Called when another page is opened. */
  onNavigate?: (() => void) | undefined
}

/** Navigation between the allowed pages, and the account's menu. */
export function Sidebar({ onNavigate }: SidebarProps) {
  const pages = usePages()
  return (
    <div className="sidebar column scroll">
      <HomeLink onNavigate={onNavigate} />
      <SearchButton onOpen={onNavigate} />
      <nav aria-label={texts.frame.navigation}>
        <ul className="sidebar-links">
          {pages.map(({ path, title, icon: Icon }) => (
            <li key={path}>
              <Link
                to={path}
                title={title}
                className="sidebar-link row gap-3 soft medium"
                {...(path === '/files' && dropTarget(''))}
                {...(path === '/trash' && TRASH_TARGET)}
                {...(onNavigate ? { onClick: onNavigate } : {})}
              >
                <Icon aria-hidden size={18} />
                {title}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <AccountMenu onNavigate={onNavigate} />
    </div>
  )
}

function AccountMenu({ onNavigate }: SidebarProps) {
  const signOut = useSignOut()
  const [isAsking, setAsking] = useState(false)
  const [isHelping, setHelping] = useState(false)
  const hasPointer = useMedia('(hover: hover)')
  const [theme, chooseTheme] = usePreference(themePreference)
  const menu = (
    <Menu
      align="start"
      side="top"
      trigger={
        <button type="button" className="account-button row gap-3 full soft">
          <AccountName />
          <ChevronsUpDown aria-hidden size={16} />
        </button>
      }
    >
      <MenuChoice label={texts.frame.theme} value={theme} options={THEME_OPTIONS} onChoose={chooseTheme} />
      <MenuSeparator />
      <MenuItem
        icon={CircleUserRound}
        onSelect={() => {
          onNavigate?.()
          navigate({ to: '/account' })
        }}
      >
        {texts.pages.account}
      </MenuItem>
      <MenuLink icon={BookOpen} href={DOCS}>
        {texts.frame.docs}
      </MenuLink>
      <MenuLink icon={Braces} href={API_DOCS}>
        {texts.frame.apiDocs}
      </MenuLink>
      {hasPointer && (
        <MenuItem icon={Keyboard} onSelect={() => setHelping(true)}>
          {browseTexts.help.title}
        </MenuItem>
      )}
      <MenuSeparator />
      <MenuItem
        icon={LogOut}
        onSelect={() => (queue.now?.isUploading() || isJobRunning() ? setAsking(true) : signOut.mutate())}
      >
        {texts.signOut}
      </MenuItem>
    </Menu>
  )
  return (
    <>
      {menu}
      {isHelping && <KeyboardHelp onClose={() => setHelping(false)} />}
      {isAsking && <SignOutQuestion onConfirm={() => signOut.mutate()} onClose={() => setAsking(false)} />}
    </>
  )
}

function AccountName() {
  const { user } = useMe()
  return (
    <>
      <span className="avatar stack in-middle rigid small" aria-hidden>
        {user.name.trim().slice(0, 1).toUpperCase()}
      </span>
      <span className="account-name stack gap-0 grow small medium cut">
        {user.name}
        <small className="cut">{user.email}</small>
      </span>
    </>
  )
}

/** Question before a sign-out that ends uploads or other work. */
function SignOutQuestion({ onConfirm, onClose }: { onConfirm: () => void; onClose: () => void }) {
  const confirm = () => {
    queue.now?.cancelAll()
    cancelJobs()
    onConfirm()
  }
  return (
    <Confirm
      title={texts.uploads.signOutTitle}
      action={texts.uploads.signOut}
      onConfirm={confirm}
      onClose={onClose}
    >
      {texts.uploads.signOutText}
    </Confirm>
  )
}
