import { type ReactNode, useEffect, useRef } from 'react'
import { Logo } from '../components/icons.tsx'
import { useTakeover } from '../lib/first-frame.ts'
import { instanceName } from '../lib/instance.ts'
import { texts } from '../texts.ts'

interface WayInProps {
  title: string
  lead: string
  /** Content below the card. */
  footer?: ReactNode
  children: ReactNode
}

/** Page while it is not known what to show. */
export const Waiting = () => (
  <div className="way-in is-waiting" role="status">
    <Logo />
    <span className="visually-hidden">{texts.loading}</span>
  </div>
)

/** Page around the forms of sign-in and registration. Its first field has the focus, else the button of its form. */
export function WayIn({ title, lead, footer, children }: WayInProps) {
  const card = useRef<HTMLDivElement>(null)
  useTakeover()
  useEffect(() => {
    document.title = `${title} · ${instanceName}`
    card.current?.querySelector<HTMLElement>('input:not([type=checkbox]), [type=submit]')?.focus()
  }, [title])
  return (
    <main className="way-in">
      <Logo />
      <div ref={card} className="way-in-card stack gap-3 full card">
        <h1 className="page-title">{title}</h1>
        <p className="soft">{lead}</p>
        {children}
      </div>
      {footer}
    </main>
  )
}
