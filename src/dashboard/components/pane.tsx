import { type ReactNode, useId } from 'react'

interface PaneProps {
  title: string
  /** Content beside the title. */
  aside?: ReactNode
  className?: string
  children: ReactNode
}

/** A part of a page with a title of its own. */
export function Pane({ title, aside, className = '', children }: PaneProps) {
  const id = useId()
  return (
    <section className={`pane ${className}`} aria-labelledby={id}>
      <header className="pane-header">
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  )
}
