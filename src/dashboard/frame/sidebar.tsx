import { ChevronsUpDown, CircleUserRound } from 'lucide-react'
import { useCan, useMe } from '../api/session.ts'
import { THEME_OPTIONS } from '../components/fields/select.tsx'
import { HomeLink } from '../components/icons.tsx'
import { lazyComponent } from '../components/lazy.tsx'
import { CommandItems, Menu, MenuChoice, MenuSeparator } from '../components/overlays/menu.tsx'
import { untilFirstView } from '../first-view.ts'
import { Link, navigate } from '../lib/router.tsx'
import { usePreference } from '../lib/store.ts'
import { usePages } from '../pages.ts'
import { SearchButton } from '../search/opener.tsx'
import { texts } from '../texts.ts'
import { themePreference } from '../theme/theme.ts'
import { dropTarget, TRASH_TARGET } from '../uploads/drop-zone.tsx'
import { useAccountCommands } from './account-commands.tsx'

const loadTree = async () => {
  await untilFirstView()
  return import('./folder-tree.tsx')
}

const FolderTree = lazyComponent(loadTree, { isQuiet: true })

interface SidebarProps {
  /** Called when another page is opened. */
  onNavigate?: (() => void) | undefined
}

/** Navigation between the allowed pages, and the account's menu. */
export function Sidebar({ onNavigate }: SidebarProps) {
  const pages = usePages()
  const mayRead = useCan('files:read')
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
      {mayRead && <FolderTree onNavigate={onNavigate} />}
      <AccountMenu onNavigate={onNavigate} />
    </div>
  )
}

function AccountMenu({ onNavigate }: SidebarProps) {
  const { help, signOut } = useAccountCommands()
  const [theme, chooseTheme] = usePreference(themePreference)
  const toAccount = () => {
    onNavigate?.()
    navigate({ to: '/account' })
  }
  return (
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
      <CommandItems
        groups={[[{ label: texts.pages.account, icon: CircleUserRound, run: toAccount }, ...help], [signOut]]}
      />
    </Menu>
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
