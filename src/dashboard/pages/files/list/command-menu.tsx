import { Fragment } from 'react'
import { Menu, MenuItem, MenuSeparator } from '../../../components/overlays/menu.tsx'
import type { MenuGroups } from '../menu.ts'
import type { Point } from './band.ts'

/** Entries of a menu of commands. */
export const CommandItems = ({ groups }: { groups: MenuGroups }) =>
  groups.map((group, index) => (
    <Fragment key={group[0]?.label}>
      {index > 0 && <MenuSeparator />}
      {group.map(({ label, icon, shortcut, isDanger = false, run }) => (
        <MenuItem key={label} icon={icon} isDanger={isDanger} onSelect={run}>
          {label}
          {shortcut && (
            <kbd className="menu-shortcut" aria-hidden>
              {shortcut}
            </kbd>
          )}
        </MenuItem>
      ))}
    </Fragment>
  ))

interface ContextMenuProps {
  /** Name for screen readers. */
  label: string
  /** Place in the window. */
  at: Point
  groups: MenuGroups
  onClose: () => void
}

/** Menu at the pointer or at an item. It returns the focus to what had it. */
export const ContextMenu = ({ label, at, groups, onClose }: ContextMenuProps) => (
  <Menu
    startsOpen
    align="start"
    gap={2}
    onClose={onClose}
    trigger={
      <button
        type="button"
        className="menu-anchor"
        tabIndex={-1}
        aria-label={label}
        style={{ left: at.x, top: at.y }}
      />
    }
  >
    <CommandItems groups={groups} />
  </Menu>
)
