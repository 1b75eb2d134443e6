import { type ReactNode, useEffect, useId } from 'react'
import { withMarks } from '../lib/format.ts'
import { instanceName } from '../lib/instance.ts'
import { setTitle } from '../lib/title.ts'

interface PageProps {
  /** Title of the browser's tab, and heading unless `heading` is set. */
  title: string
  heading?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

/** Frame of every page: heading, actions, content. */
export function Page({ title, heading, actions, children }: PageProps) {
  useEffect(() => {
    setTitle(`${withMarks(title)} · ${instanceName}`)
  }, [title])
  return (
    <div className="page column gap-4">
      <header className="page-header row gap-4 apart wrap">
        {heading ?? <h1 className="page-title">{title}</h1>}
        {actions && <div className="page-actions row wrap">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

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
    <section className={`card column gap-4 pane ${className}`} aria-labelledby={id}>
      <header className="pane-header row on-line gap-3 apart">
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  )
}
