import { type ReactNode, useEffect } from 'react'
import { withMarks } from '../lib/marks.ts'
import { texts } from '../texts.ts'

interface PageProps {
  /** The browser's title; also the heading unless `heading` is given. */
  title: string
  heading?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

/** What every page looks like: a heading, its actions, its content. */
export function Page({ title, heading, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${withMarks(title)} · ${texts.product}`
  }, [title])
  return (
    <div className="page">
      <header className="page-header">
        {heading ?? <h1 className="page-title">{title}</h1>}
        {actions && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  )
}
