import type { ReactNode } from 'react'

/** Buttons at the end of a dialog, the main one last. */
export const DialogActions = ({ children }: { children: ReactNode }) => (
  <footer className="dialog-actions">{children}</footer>
)
