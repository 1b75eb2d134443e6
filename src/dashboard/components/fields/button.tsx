import type { LucideIcon } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { texts } from '../../texts.ts'

type Look = 'primary' | 'plain' | 'quiet' | 'danger'

interface ButtonProps extends ComponentProps<'button'> {
  look?: Look
  icon?: LucideIcon
  /** True while the button's work is under way. It cannot start again meanwhile. */
  isBusy?: boolean
}

export function Button({ look = 'plain', icon: Icon, isBusy = false, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={`button button-${look} ${rest.className ?? ''}`}
      disabled={rest.disabled || isBusy}
      aria-busy={isBusy || undefined}
    >
      {Icon && <Icon aria-hidden size={16} />}
      {children}
    </button>
  )
}

interface IconButtonProps extends ComponentProps<'button'> {
  icon: LucideIcon
  /** Name for screen readers, and tooltip. */
  label: string
}

export function IconButton({ icon: Icon, label, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      title={label}
      aria-label={label}
      {...rest}
      className={`icon-button ${rest.className ?? ''}`}
    >
      <Icon aria-hidden size={18} />
    </button>
  )
}

/** Buttons at the end of a dialog, the main one last. */
export const DialogActions = ({ children }: { children: ReactNode }) => (
  <footer className="dialog-actions row at-end wrap">{children}</footer>
)

/** Button at the end of a dialog that has nothing to ask. */
export const Done = ({ onClose }: { onClose: () => void }) => (
  <DialogActions>
    <Button look="primary" onClick={onClose}>
      {texts.actions.done}
    </Button>
  </DialogActions>
)
