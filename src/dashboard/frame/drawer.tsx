import * as Radix from '@radix-ui/react-dialog'
import { texts } from '../texts.ts'
import { Sidebar } from './sidebar.tsx'

interface DrawerProps {
  onClose: () => void
  /** Called after it has closed, to return the focus. */
  onClosed: () => void
}

/** Navigation of narrow screens, above the page. */
export default function Drawer({ onClose, onClosed }: DrawerProps) {
  return (
    <Radix.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Radix.Portal>
        <div className="dialog-backdrop" />
        <Radix.Content
          className="drawer"
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            onClosed()
          }}
        >
          <Radix.Title className="visually-hidden">{texts.frame.menu}</Radix.Title>
          <Sidebar onNavigate={onClose} />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
