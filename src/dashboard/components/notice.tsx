import { CircleAlert, Hourglass, type LucideIcon } from 'lucide-react'
import { type HTMLAttributes, useEffect, useState } from 'react'
import { explain, waitOf } from '../api/client.ts'
import { useTakeover } from '../lib/first-frame.ts'
import { withMarks } from '../lib/format.ts'
import { texts } from '../texts.ts'
import { Button } from './fields/button.tsx'

interface EmptyProps extends Omit<HTMLAttributes<HTMLElement>, 'className'> {
  icon: LucideIcon
  title: string
}

/** Placeholder for an empty place: the reason, and the next step. */
export const Empty = ({ icon: Icon, title, children, ...rest }: EmptyProps) => (
  <div className="empty grow soft" {...rest}>
    <Icon aria-hidden className={rest.role === 'alert' ? 'danger' : 'accent'} size={28} strokeWidth={1.5} />
    <h2>{title}</h2>
    {children}
  </div>
)

interface FailureProps {
  error: unknown
  onRetry: () => void
}

/** Placeholder for content that failed to load. */
export function Failure({ error, onRetry }: FailureProps) {
  useTakeover()
  if (waitOf(error) > 0) return <Waiting error={error} onRetry={onRetry} />
  return (
    <Empty icon={CircleAlert} title={texts.errors.title} role="alert">
      <p>{withMarks(explain(error))}</p>
      <Button onClick={onRetry}>{texts.actions.retry}</Button>
    </Empty>
  )
}

/** Placeholder for content that the server refused with 429. It counts down and retries. */
function Waiting({ error, onRetry }: FailureProps) {
  const [left, setLeft] = useState(0)
  useEffect(() => {
    const until = performance.now() + waitOf(error) * 1000
    const count = () => setLeft(Math.max(0, Math.ceil((until - performance.now()) / 1000)))
    count()
    const timer = setInterval(count, 1000)
    return () => clearInterval(timer)
  }, [error])
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each refusal, whatever function retries
  useEffect(() => {
    const timer = setTimeout(onRetry, waitOf(error) * 1000)
    return () => clearTimeout(timer)
  }, [error])
  return (
    <Empty icon={Hourglass} title={texts.errors.tooManyTitle} role="status">
      <p aria-live="off">{texts.errors.tooManyRetry(left)}</p>
    </Empty>
  )
}

/** Error message of a form. */
export const FormError = ({ error }: { error: unknown }) =>
  error ? (
    <p className="form-error row top small danger" role="alert">
      <CircleAlert aria-hidden size={16} />
      {withMarks(explain(error))}
    </p>
  ) : null

/** Placeholder for content that loads: its rows, drawn only when it takes long enough to be noticed. */
export const Loading = ({ rows = 5 }: { rows?: number }) => (
  <div className="loading" role="status">
    <span className="visually-hidden">{texts.loading}</span>
    {Array.from({ length: rows }, (_, row) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
      <span key={row} className="skeleton" />
    ))}
  </div>
)
