import * as Radix from '@radix-ui/react-dropdown-menu'
import { Check, type LucideIcon } from 'lucide-react'
import { createContext, type ReactNode, useContext, useRef, useState } from 'react'
import { useEscape } from './layers.ts'

interface MenuProps {
  /** Button that opens the menu. */
  trigger: ReactNode
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

/** Defers the action of an item until the menu has closed. */
const Chosen = createContext<(act: () => void) => void>((act) => act())

/**
 * Menu that is not modal: locking the page's scrolling would need a style element, which the page's policy forbids.
 * The chosen action runs after the focus has returned to the trigger, so that a dialog can return it there.
 */
export function Menu({
  trigger,
  align = 'end',
  side = 'bottom',
  startsOpen = false,
  title,
  gap = 6,
  onClose,
  children,
}: MenuProps) {
  const [isOpen, setOpen] = useState(startsOpen)
  useEscape(() => setOpen(false), isOpen)
  const [opener] = useState(() => document.activeElement)
  const isTouched = useRef(false)
  const chosen = useRef<() => void>(undefined)
  const doChosen = (event: Event) => {
    if (onClose) {
      event.preventDefault()
      if (opener instanceof HTMLElement) opener.focus()
      onClose()
    }
    const act = chosen.current
    chosen.current = undefined
    // Radix moves the focus as soon as this returns.
    if (act) queueMicrotask(act)
  }
  return (
    <Radix.Root modal={false} open={isOpen} onOpenChange={setOpen}>
      <Radix.Trigger
        asChild
        // A finger opens it as it leaves. Radix opens it at once, and the click would choose the item that is there then.
        onPointerDown={(event) => {
          isTouched.current = event.pointerType === 'touch'
          if (isTouched.current) event.preventDefault()
        }}
        onClick={() => {
          if (isTouched.current) setOpen(!isOpen)
          isTouched.current = false
        }}
      >
        {trigger}
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          className="menu"
          data-title={title}
          align={align}
          side={side}
          sideOffset={gap}
          collisionPadding={8}
          onCloseAutoFocus={doChosen}
          // A tap beside the menu closes it by its click, which would otherwise go to what lies below.
          onFocusOutside={(event) => event.preventDefault()}
          onPointerDownOutside={(event) => {
            if (event.detail.originalEvent.pointerType !== 'touch') return
            event.preventDefault()
            addEventListener('click', () => setOpen(false), { once: true })
          }}
          onContextMenu={(event) => event.preventDefault()}
        >
          <Chosen
            value={(act) => {
              chosen.current = act
            }}
          >
            {children}
          </Chosen>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

interface MenuItemProps {
  icon?: LucideIcon
  isDanger?: boolean
  onSelect: () => void
  children: ReactNode
}

export function MenuItem({ icon: Icon, isDanger = false, onSelect, children }: MenuItemProps) {
  const choose = useContext(Chosen)
  return (
    <Radix.Item className={`menu-item ${isDanger ? 'is-danger' : ''}`} onSelect={() => choose(onSelect)}>
      {Icon && <Icon aria-hidden size={16} />}
      {children}
    </Radix.Item>
  )
}

interface MenuLinkProps {
  icon: LucideIcon
  href: string
  children: ReactNode
}

/** Link out of the dashboard, in a tab of its own. */
export const MenuLink = ({ icon: Icon, href, children }: MenuLinkProps) => (
  <Radix.Item className="menu-item" asChild>
    <a href={href} target="_blank" rel="noreferrer">
      <Icon aria-hidden size={16} />
      {children}
    </a>
  </Radix.Item>
)

export const MenuSeparator = () => <Radix.Separator className="menu-separator" />

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
  const choose = (chosen: string) => {
    const option = options.find((candidate) => candidate.value === chosen)
    if (option) onChoose(option.value)
  }
  return (
    <Radix.RadioGroup value={value} onValueChange={choose}>
      <Radix.Label className="menu-label">{label}</Radix.Label>
      {options.map((option) => (
        <Radix.RadioItem key={option.value} value={option.value} className="menu-item">
          <span className="menu-mark">
            <Radix.ItemIndicator>
              <Check aria-hidden size={16} />
            </Radix.ItemIndicator>
          </span>
          {option.label}
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  )
}
