import { CircleAlert, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { explain } from '../api/client.ts'
import { texts } from '../texts.ts'
import { Button } from './button.tsx'

interface EmptyProps {
  icon: LucideIcon
  title: string
  children?: ReactNode
}

/** What stands where there is nothing yet: why, and what to do. */
export const Empty = ({ icon: Icon, title, children }: EmptyProps) => (
  <div className="empty">
    <Icon aria-hidden size={28} strokeWidth={1.5} />
    <h2>{title}</h2>
    {children}
  </div>
)

/** What stands where something could not be loaded. */
export const Failure = ({ error, onRetry }: { error: unknown; onRetry: () => void }) => (
  <div className="empty" role="alert">
    <CircleAlert aria-hidden size={28} strokeWidth={1.5} />
    <h2>{texts.errors.title}</h2>
    <p>{explain(error)}</p>
    <Button onClick={onRetry}>{texts.actions.retry}</Button>
  </div>
)

/** Something went wrong with a form. */
export const FormError = ({ error }: { error: unknown }) =>
  error ? (
    <p className="form-error" role="alert">
      <CircleAlert aria-hidden size={16} />
      {explain(error)}
    </p>
  ) : null

export const Loading = () => (
  <div className="loading" role="status">
    <span className="visually-hidden">{texts.loading}</span>
  </div>
)
