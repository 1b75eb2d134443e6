import { type ReactNode, useId } from 'react'

interface CardProps {
  title: string
  /** What stands beside the title. */
  aside?: ReactNode
  className?: string
  children: ReactNode
}

/** A part of a page with a title of its own. */
export function Card({ title, aside, className = '', children }: CardProps) {
  const id = useId()
  return (
    <section className={`card ${className}`} aria-labelledby={id}>
      <header className="card-header">
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  )
}
