import { CircleAlert, CircleCheck, LoaderCircle, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { withMarks } from '../../lib/format.ts'
import { createStore, useStore } from '../../lib/store.ts'
import { texts } from '../../texts.ts'
import { Button, IconButton } from '../fields/button.tsx'
import { Progress } from '../progress.tsx'

interface ToastState {
  message: string
  /** A second line. */
  detail?: string
  /** Share from 0 to 1. */
  progress?: number | undefined
  /** True after a cancel, until the request under way ends. */
  isEnding?: boolean
  action?: Action | undefined
}

interface Action {
  label: string
  run: () => void
}

interface Toast extends ToastState {
  id: number
  kind: 'done' | 'error' | 'busy'
}

/** Message about work that is under way. It stays until it is closed. */
export interface BusyToast {
  update: (state: ToastState) => void
  close: () => void
}

/** Milliseconds that a message stays: enough to read it, or to reach its button. */
const TOAST_MS = 7000
const ACTION_MS = 12_000
/** Maximum messages at the same time, apart from those about work under way. */
const MOST_SHOWN = 3

const store = createStore<Toast[]>([])
let lastId = 0

function add(added: Omit<Toast, 'id'>): number {
  lastId += 1
  const id = lastId
  store.set((toasts) => {
    const passing = toasts.filter(({ kind }) => kind !== 'busy').slice(1 - MOST_SHOWN)
    return [...toasts.filter((toast) => toast.kind === 'busy' || passing.includes(toast)), { id, ...added }]
  })
  return id
}

const close = (id: number) => store.set((toasts) => toasts.filter((toast) => toast.id !== id))

function showBusy(state: ToastState): BusyToast {
  const id = add({ kind: 'busy', ...state })
  return {
    update: (changed) =>
      store.set((toasts) => toasts.map((toast) => (toast.id === id ? { ...toast, ...changed } : toast))),
    close: () => close(id),
  }
}

/** Short messages about recent or current work. Screen readers announce them. */
export const toast = {
  done: (message: string, action?: Action) => add({ kind: 'done', message, action }),
  error: (message: string) => add({ kind: 'error', message }),
  busy: showBusy,
  close,
}

const SIGNS = { done: CircleCheck, error: CircleAlert, busy: LoaderCircle }

export function Toasts() {
  const toasts = useStore(store)
  return (
    <section className="toasts stack gap-2" aria-label={texts.notifications} aria-live="polite">
      {toasts.map((shown) => (
        <ToastCard key={shown.id} toast={shown} />
      ))}
    </section>
  )
}

/** One message. It stays while the pointer or the focus is on it (WCAG 2.2.1). */
function ToastCard({
  toast: { id, kind, message, detail, progress, action, isEnding = false },
}: {
  toast: Toast
}) {
  const Sign = SIGNS[kind]
  const [isHeld, setHeld] = useState(false)
  const stays = kind === 'busy' || isHeld
  const ms = action ? ACTION_MS : TOAST_MS
  useEffect(() => {
    if (stays) return
    const timer = setTimeout(() => close(id), ms)
    return () => clearTimeout(timer)
  }, [id, stays, ms])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only stays for longer
    <div
      className={`toast toast-${kind} row small`}
      role={kind === 'error' ? 'alert' : undefined}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <Sign aria-hidden className="toast-sign" size={18} />
      <p className="grow">
        {withMarks(message)}
        {/* Read out once a second it would be in the way of everything else. */}
        {detail && (
          <small className="digits" aria-live="off">
            {detail}
          </small>
        )}
      </p>
      {action && (
        <Button
          look="quiet"
          isBusy={isEnding}
          onClick={() => {
            action.run()
            // The work closes its own message.
            if (kind !== 'busy') close(id)
          }}
        >
          {action.label}
        </Button>
      )}
      {kind !== 'busy' && <IconButton icon={X} label={texts.actions.close} onClick={() => close(id)} />}
      {progress !== undefined && <Progress label={message} value={progress} />}
    </div>
  )
}
