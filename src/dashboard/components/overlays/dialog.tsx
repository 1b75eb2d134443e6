import * as Radix from '@radix-ui/react-dialog'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { withMarks } from '../../lib/format.ts'
import { texts } from '../../texts.ts'
import { IconButton } from '../fields/button.tsx'
import { useEscape, useFocusOfOpener } from './layers.ts'

interface DialogProps {
  title: string
  description?: ReactNode
  /** `side` lies against the right edge. */
  size?: 'normal' | 'side'
  /** True for a dialog that only its buttons close, because its content cannot be shown again. */
  isKept?: boolean
  onClose: () => void
  children: ReactNode
}

/**
 * Dialog that is open while it is rendered. Radix's own overlay is left out: it would write a style element, which
 * the page's policy forbids.
 */
export function Dialog({
  title,
  description,
  size = 'normal',
  isKept = false,
  onClose,
  children,
}: DialogProps) {
  const focusOpener = useFocusOfOpener()
  useEscape(() => !isKept && onClose())
  return (
    <Radix.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Radix.Portal>
        <div className="dialog-backdrop" />
        <Radix.Content
          className={`dialog dialog-${size} column gap-4 scroll focus-place`}
          onOpenAutoFocus={focusFirstField}
          onCloseAutoFocus={focusOpener}
          {...(isKept && { onInteractOutside: keepOpen })}
          {...(description ? {} : { 'aria-describedby': undefined })}
        >
          <DialogHeader title={title} />
          {description && <Radix.Description className="soft">{description}</Radix.Description>}
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** Title of a dialog, beside other buttons and the one that closes it. */
export const DialogHeader = ({ title, children }: { title: string; children?: ReactNode }) => (
  <header className="dialog-header row top gap-3 apart">
    <Radix.Title className="dialog-title grow">{withMarks(title)}</Radix.Title>
    {children}
    <Radix.Close asChild>
      <IconButton icon={X} label={texts.actions.close} />
    </Radix.Close>
  </header>
)

const keepOpen = (event: Event) => event.preventDefault()

/**
 * Focuses the first field to fill in, or the dialog itself instead of the button that closes it. A field to search
 * waits for a touch: the keyboard of a phone would cover the dialog.
 */
function focusFirstField(event: Event): void {
  event.preventDefault()
  const { currentTarget } = event
  if (!(currentTarget instanceof HTMLElement)) return
  const search = matchMedia('(hover: none)').matches ? ', [role=combobox]' : ''
  const field = currentTarget.querySelector<HTMLElement>(
    `input:not([readonly], [type=radio]:not(:checked)${search})`,
  )
  const target = field ?? currentTarget
  target.focus()
}
