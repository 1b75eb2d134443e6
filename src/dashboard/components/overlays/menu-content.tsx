import * as Radix from '@radix-ui/react-dropdown-menu'
import {
  type FocusEvent,
  type ReactNode,
  type Ref,
  type RefObject,
  useImperativeHandle,
  useRef,
  useState,
} from 'react'
import { isFocusLost, Parts } from './layers.ts'

interface MenuContentProps {
  /** Button that opens the menu. */
  button: RefObject<HTMLElement | null>
  ids: { trigger: string; list: string }
  align?: 'start' | 'end'
  side?: 'top' | 'bottom'
  title?: string
  gap?: number
  isOpen: boolean
  /** True for a menu that a key opened, whose first entry gets the focus. */
  isByKey: boolean
  onOpenChange: (isOpen: boolean) => void
  /** Returns the focus after the menu has closed; without it, the button gets the focus. */
  onClosed: (() => void) | undefined
  children: ReactNode
}

/**
 * List of a menu at its button. The chosen action runs after the focus has returned, so that a dialog can return it
 * there.
 */
export default function MenuContent({
  button,
  ids,
  align = 'end',
  side = 'bottom',
  title,
  gap = 6,
  isOpen,
  isByKey,
  onOpenChange,
  onClosed,
  children,
}: MenuContentProps) {
  const chosen = useRef<() => void>(undefined)
  const choose = (act: () => void) => {
    chosen.current = act
  }
  const [parts] = useState({ radix: Radix, choose })
  const doChosen = (event: Event) => {
    if (onClosed || !isFocusLost()) event.preventDefault()
    onClosed?.()
    const act = chosen.current
    chosen.current = undefined
    // Radix moves the focus as soon as this returns.
    if (act) queueMicrotask(act)
  }
  return (
    <Radix.Root modal={false} open={isOpen} onOpenChange={onOpenChange}>
      <Radix.Trigger asChild>
        <Place button={button} />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          className="menu"
          id={ids.list}
          aria-labelledby={ids.trigger}
          data-title={title}
          align={align}
          side={side}
          sideOffset={gap}
          collisionPadding={8}
          onFocus={isByKey ? focusFirst : undefined}
          onCloseAutoFocus={doChosen}
          // A tap beside the menu closes it by its click, which would otherwise go to what lies below.
          onPointerDownOutside={(event) => {
            if (event.detail.originalEvent.pointerType !== 'touch') return
            event.preventDefault()
            addEventListener('click', () => onOpenChange(false), { once: true })
          }}
          onFocusOutside={refuse}
          onContextMenu={refuse}
        >
          <Parts value={parts}>{children}</Parts>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

const refuse = (event: { preventDefault: () => void }) => event.preventDefault()

/** Focuses the first entry when the focus comes to the list. Radix does so only if it was there before the key. */
function focusFirst({ target, currentTarget, relatedTarget }: FocusEvent<HTMLElement>): void {
  if (target !== currentTarget || currentTarget.contains(relatedTarget)) return
  currentTarget.querySelector<HTMLElement>('[role^=menuitem]:not([data-disabled])')?.focus()
}

/** Stands for the button where Radix wants an element of its own. */
function Place({ button, ref }: { button: RefObject<HTMLElement | null>; ref?: Ref<HTMLElement | null> }) {
  useImperativeHandle<HTMLElement | null, HTMLElement | null>(ref, () => button.current, [button])
  return null
}
