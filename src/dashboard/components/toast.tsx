import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { createStore, useStore } from '../lib/store.ts'
import { texts } from '../texts.ts'
import { Button, IconButton } from './button.tsx'

interface Toast {
  id: number
  kind: 'done' | 'error'
  message: string
  action?: { label: string; run: () => void } | undefined
}

/** Milliseconds a message stays; long enough to read it and to reach its button. */
export const TOAST_MS = 7000

const store = createStore<Toast[]>([])
let lastId = 0

function show(shown: Omit<Toast, 'id'>): () => void {
  lastId += 1
  const id = lastId
  const close = () => store.set((toasts) => toasts.filter((other) => other.id !== id))
  store.set((toasts) => [...toasts.slice(-2), { id, ...shown }])
  setTimeout(close, TOAST_MS)
  return close
}

/** Short messages about what has just happened, read out by screen readers. Each returns how to close it. */
export const toast = {
  done: (message: string, action?: Toast['action']) => show({ kind: 'done', message, action }),
  error: (message: string) => show({ kind: 'error', message }),
}

function Sign({ kind }: Pick<Toast, 'kind'>) {
  const Icon = kind === 'done' ? CircleCheck : CircleAlert
  return <Icon aria-hidden className="toast-sign" size={18} />
}

export function Toasts() {
  const toasts = useStore(store)
  const close = (id: number) => store.set((all) => all.filter((other) => other.id !== id))
  return (
    <section className="toasts" aria-label={texts.notifications} aria-live="polite">
      {toasts.map(({ id, kind, message, action }) => (
        <div key={id} className={`toast toast-${kind}`}>
          <Sign kind={kind} />
          <p>{message}</p>
          {action && (
            <Button
              look="quiet"
              onClick={() => {
                action.run()
                close(id)
              }}
            >
              {action.label}
            </Button>
          )}
          <IconButton icon={X} label={texts.actions.close} onClick={() => close(id)} />
        </div>
      ))}
    </section>
  )
}
