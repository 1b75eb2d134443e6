import { type ReactNode, useId } from 'react'

interface SectionProps {
  title: string
  lead: string
  /** Class of the content. */
  className: string
  children: ReactNode
}

/** Group of fields with a description beside it. */
export function Section({ title, lead, className, children }: SectionProps) {
  const id = useId()
  return (
    <section className="section card top" aria-labelledby={id}>
      <header className="stack gap-1">
        <h2 id={id} className="large">
          {title}
        </h2>
        <p className="note">{lead}</p>
      </header>
      <div className={`stack ${className}`}>{children}</div>
    </section>
  )
}
