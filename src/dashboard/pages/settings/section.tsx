import { type ReactNode, useId } from 'react'

interface SectionProps {
  title: string
  lead: string
  children: ReactNode
}

/** Settings that belong together, with what they are about beside them. */
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
