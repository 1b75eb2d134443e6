import { type ReactNode, useEffect } from 'react'
import { Logo } from '../components/logo.tsx'
import { texts } from '../texts.ts'

interface WayInProps {
  title: string
  lead: string
  children: ReactNode
}

/** Page around the forms of sign-in and registration. */
export function WayIn({ title, lead, children }: WayInProps) {
  useEffect(() => {
    document.title = `${title} · ${texts.product}`
  }, [title])
  return (
    <main className="way-in">
      <Logo />
      <div className="way-in-card">
        <h1 className="page-title">{title}</h1>
        <p className="lead">{lead}</p>
        {children}
      </div>
    </main>
  )
}
