import { Check, type LucideIcon } from 'lucide-react'
import {
  type ComponentProps,
  cloneElement,
  Fragment,
  type KeyboardEvent,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
  useId,
  useRef,
  useState,
} from 'react'
import type { MenuGroups } from '../../lib/palette.ts'
import { lazyComponent } from '../lazy.tsx'
import { returnFocus, useEscape, useParts } from './layers.ts'

/** Menu's list, in a chunk of its own: a first visit shows no open menu. */
const MenuContent = lazyComponent(() => import('./menu-content.tsx'), { isQuiet: true })

export const loadMenus = MenuContent.load

interface MenuProps {
  /** Button that opens the menu. */
  trigger: ReactElement<ComponentProps<'button'>>
  align?: 'start' | 'end'
  side?: 'top' | 'bottom'
  /** True for a menu that opens as soon as it is rendered. */
  startsOpen?: boolean
  /** Heading where the menu is far from its trigger. */
  title?: string
  /** Pixels between the trigger and the menu. */
  gap?: number
  /** Called after the menu has closed. The focus then returns to what had it before. */
  onClose?: () => void
  children: ReactNode
}

/** Windows where the list lies at the lower edge, as theme/devices.css places it. */
const IS_SHEET = '(max-width: 48rem) and (pointer: coarse)'

/** Keys that open a menu from its button. */
const OPENING = ['Enter', ' ', 'ArrowDown']

/**
 * Menu that is not modal: locking the page's scrolling would need a style element, which the page's policy forbids.
 * Its button is here, and its list loads when the pointer or the focus comes to the button.
 */
export function Menu({ trigger, startsOpen = false, onClose, children, ...look }: MenuProps) {
  const [isOpen, setOpen] = useState(startsOpen)
  const [isWanted, setWanted] = useState(startsOpen)
  const button = useRef<HTMLButtonElement>(null)
  const [opener] = useState(() => document.activeElement)
  const opensByClick = useRef(false)
  const [isByKey, setByKey] = useState(false)
  const ids = { trigger: useId(), list: useId() }
  useEscape(() => setOpen(false), isOpen)
  const open = (isNowOpen: boolean, byKey = false) => {
    setByKey(byKey)
    setWanted(true)
    setOpen(isNowOpen)
  }
  const props = {
    ref: button,
    id: ids.trigger,
    'aria-haspopup': 'menu' as const,
    'aria-expanded': isOpen,
    'aria-controls': isOpen ? ids.list : undefined,
    'data-state': isOpen ? 'open' : 'closed',
    onPointerEnter: () => setWanted(true),
    onFocus: () => setWanted(true),
    // A finger opens it as it leaves, and so do a pen and a mouse where the list may cover the button. At once, the click
    // would choose the item that is there then.
    onPointerDown: (event: PointerEvent) => {
      opensByClick.current = event.pointerType === 'touch' || matchMedia(IS_SHEET).matches
      if (opensByClick.current) event.preventDefault()
      else if (event.button === 0 && !event.ctrlKey) {
        open(!isOpen)
        // The focus goes to the list.
        if (!isOpen) event.preventDefault()
      }
    },
    onClick: () => {
      if (opensByClick.current) open(!isOpen)
      opensByClick.current = false
    },
    onKeyDown: (event: KeyboardEvent) => {
      if (!OPENING.includes(event.key)) return
      open(event.key === 'ArrowDown' || !isOpen, true)
      event.preventDefault()
    },
  }
  return (
    <>
      {cloneElement(trigger, props)}
      {isWanted && (
        <MenuContent
          {...look}
          button={button}
          ids={ids}
          isOpen={isOpen}
          isByKey={isByKey}
          onOpenChange={setOpen}
          onClosed={
            onClose &&
            (() => {
              returnFocus(opener)
              onClose()
            })
          }
        >
          {children}
        </MenuContent>
      )}
    </>
  )
}

interface MenuItemProps {
  icon?: LucideIcon
  isDanger?: boolean
  /** Reason for which it is disabled. */
  problem?: string | undefined
  onSelect: () => void
  children: ReactNode
}

export function MenuItem({ icon: Icon, isDanger = false, problem, onSelect, children }: MenuItemProps) {
  const { radix, choose } = useParts()
  return (
    <radix.Item
      className={`menu-item row gap-3 small ${isDanger ? 'is-danger' : ''}`}
      disabled={problem !== undefined}
      title={problem}
      onSelect={() => choose(onSelect)}
    >
      {Icon && <Icon aria-hidden size={16} />}
      {children}
    </radix.Item>
  )
}

interface MenuLinkProps {
  icon: LucideIcon
  href: string
  children: ReactNode
}

/** Link out of the dashboard, in a tab of its own. */
export function MenuLink({ icon: Icon, href, children }: MenuLinkProps) {
  const { radix } = useParts()
  return (
    <radix.Item className="menu-item row gap-3 small" asChild>
      <a href={href} target="_blank" rel="noreferrer">
        <Icon aria-hidden size={16} />
        {children}
      </a>
    </radix.Item>
  )
}

export function MenuSeparator() {
  const { radix } = useParts()
  return <radix.Separator className="menu-separator" />
}

interface MenuChoiceProps<Value extends string> {
  label: string
  value: Value
  options: readonly { value: Value; label: string }[]
  onChoose: (value: Value) => void
}

/** Choice between options, with a mark at the current one. */
export function MenuChoice<Value extends string>({
  label,
  value,
  options,
  onChoose,
}: MenuChoiceProps<Value>) {
  const { radix } = useParts()
  const choose = (chosen: string) => {
    const option = options.find((candidate) => candidate.value === chosen)
    if (option) onChoose(option.value)
  }
  return (
    <radix.RadioGroup value={value} onValueChange={choose}>
      <radix.Label className="menu-label note">{label}</radix.Label>
      {options.map((option) => (
        <radix.RadioItem key={option.value} value={option.value} className="menu-item row gap-3 small">
          <span className="menu-mark">
            <radix.ItemIndicator>
              <Check aria-hidden size={16} />
            </radix.ItemIndicator>
          </span>
          {option.label}
        </radix.RadioItem>
      ))}
    </radix.RadioGroup>
  )
}

/** Entries of a menu of commands. */
export const CommandItems = ({ groups }: { groups: MenuGroups }) =>
  groups.map((group, index) => (
    <Fragment key={group[0]?.label}>
      {index > 0 && <MenuSeparator />}
      {group.map(({ label, icon, shortcut, isDanger = false, problem, href, run }) =>
        href !== undefined ? (
          <MenuLink key={label} icon={icon} href={href}>
            {label}
          </MenuLink>
        ) : (
          <MenuItem key={label} icon={icon} isDanger={isDanger} problem={problem} onSelect={run}>
            {label}
            {shortcut && (
              <kbd className="menu-shortcut tiny soft" aria-hidden>
                {shortcut}
              </kbd>
            )}
          </MenuItem>
        ),
      )}
    </Fragment>
  ))
