import { type ReactNode, useId } from 'react'

interface SectionProps {
  title: string
  lead: string
  children: ReactNode
}

/** Group of settings with a description beside it. */
export function Section({ title, lead, children }: SectionProps) {
  const id = useId()
  return (
    <section className="settings-section" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        <p className="lead">{lead}</p>
      </header>
      <div className="settings-fields">{children}</div>
    </section>
  )
}
