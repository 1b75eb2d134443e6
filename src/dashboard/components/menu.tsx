import * as Radix from '@radix-ui/react-dropdown-menu'
import { Check, type LucideIcon } from 'lucide-react'
import { createContext, type ReactNode, useContext, useRef } from 'react'

interface MenuProps {
  /** The button that opens it. */
  trigger: ReactNode
  align?: 'start' | 'end'
  side?: 'top' | 'bottom'
  /** Opens at once, for a menu that is made when it is asked for. */
  startsOpen?: boolean
  children: ReactNode
}

/** Takes what a menu's item does, until the menu is closed. */
const Chosen = createContext<(act: () => void) => void>((act) => act())

/**
 * Not modal: locking the page's scrolling would need a style element, which the page's policy forbids. What is
 * chosen is done when the focus is back at the trigger, so that a dialog can give it back to that.
 */
export function Menu({ trigger, align = 'end', side = 'bottom', startsOpen = false, children }: MenuProps) {
  const chosen = useRef<() => void>(undefined)
  const doChosen = () => {
    const act = chosen.current
    chosen.current = undefined
    // Radix moves the focus as soon as this returns.
    if (act) queueMicrotask(act)
  }
  return (
    <Radix.Root modal={false} defaultOpen={startsOpen}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          className="menu"
          align={align}
          side={side}
          sideOffset={6}
          collisionPadding={8}
          onCloseAutoFocus={doChosen}
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

export const MenuSeparator = () => <Radix.Separator className="menu-separator" />

interface MenuChoiceProps<Value extends string> {
  label: string
  value: Value
  options: readonly { value: Value; label: string }[]
  onChoose: (value: Value) => void
}

/** One of several, with a mark at the present one. */
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
