import { Check, ChevronDown, ChevronUp, Pause, Play, RotateCcw, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useStorage } from '../api/accounts.ts'
import { Button, IconButton } from '../components/fields/button.tsx'
import { Progress } from '../components/progress.tsx'
import { formatBytes, formatCount, formatDuration } from '../lib/format.ts'
import { useStore } from '../lib/store.ts'
import { setTitleProgress } from '../lib/title.ts'
import { accountTexts } from '../texts/account.ts'
import { texts } from '../texts.ts'
import { retry } from './add.ts'
import { ConflictDialog } from './conflict-dialog.tsx'
import { UploadList } from './list.tsx'
import {
  cancelAll,
  canPause,
  clearFinished,
  isUnfinished,
  pause,
  resume,
  resumeSignedIn,
  speed,
  type Upload,
  uploads,
} from './queue.ts'
import { UnfinishedUploads } from './unfinished.tsx'

/** Uploads above every page: their panel, and the question about files that already exist. */
export default function Uploads() {
  // The frame around it is there again after a sign-in.
  useEffect(resumeSignedIn, [])
  return (
    <>
      <UploadPanel />
      <ConflictDialog />
    </>
  )
}

/** Milliseconds after which the panel folds itself when all is done. */
const FOLD_MS = 5000

/** Progress of all uploads together and of each. */
export function UploadPanel() {
  const all = useStore(uploads)
  const panel = useRef<HTMLElement>(null)
  const [isOpen, setOpen] = useState(true)
  const summary = summarize(all)
  const isDone = summary.state === 'done'
  useEffect(() => {
    if (!isDone) return
    const isInUse = () => panel.current?.matches(':hover, :focus-within')
    // A panel in use folds once it is left.
    const timer = setInterval(() => {
      if (isInUse()) return
      clearInterval(timer)
      setOpen(false)
    }, FOLD_MS)
    return () => {
      clearInterval(timer)
      setOpen(true)
    }
  }, [isDone])
  const share = summary.sent / Math.max(1, summary.size)
  useLeaveWarning(summary.left > 0)
  const isPaused = summary.state === 'paused'
  useEffect(
    () => setTitleProgress(summary.left > 0 ? share : undefined, { isPaused }),
    [summary.left, share, isPaused],
  )
  if (all.length === 0) return <UnfinishedUploads />
  return (
    <section
      ref={panel}
      className={`uploads uploads-${summary.state} column gap-0 card`}
      aria-label={texts.uploads.title}
    >
      <header className="uploads-header row gap-1">
        {isDone && (
          <span className="uploads-sign stack in-middle" aria-hidden>
            <Check size={18} strokeWidth={3} />
          </span>
        )}
        <div className="uploads-summary grow">
          <h2 aria-live="polite">{headline(summary)}</h2>
          <p className="note digits">{subline(summary)}</p>
        </div>
        <IconButton
          icon={isOpen ? ChevronDown : ChevronUp}
          label={isOpen ? texts.uploads.collapse : texts.uploads.expand}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
        {summary.left === 0 && <IconButton icon={X} label={texts.actions.close} onClick={clearFinished} />}
      </header>
      {summary.left > 0 && <Progress label={texts.uploads.title} value={share} />}
      {isOpen && <UploadList all={all} />}
      <UploadStorage hasEnded={summary.left === 0} />
      <PanelActions all={all} summary={summary} />
    </section>
  )
}

interface Summary {
  state: 'busy' | 'pausing' | 'paused' | 'done' | 'failed' | 'canceled'
  /** True while nothing is sent. */
  isIdle: boolean
  /** Unfinished uploads, also paused ones. */
  left: number
  paused: number
  /** Uploads whose request ends before the pause. */
  pausing: number
  done: number
  failed: number
  size: number
  sent: number
  /** Bytes to send without those of paused uploads. */
  rest: number
}

function summarize(all: readonly Upload[]): Summary {
  const count = (state: Upload['state']) => all.filter((upload) => upload.state === state).length
  const counted = all.filter(({ state }) => state !== 'canceled' && state !== 'failed')
  const left = all.filter(isUnfinished).length
  const paused = count('paused')
  const failed = count('failed')
  const done = count('done')
  const active = counted.filter(({ state }) => state !== 'paused')
  const sending = all.filter(({ state }) => state === 'sending')
  const pausing = sending.filter(({ isPausing }) => isPausing).length
  const ended = failed > 0 ? 'failed' : done > 0 ? 'done' : 'canceled'
  const held = pausing > 0 ? 'pausing' : 'paused'
  return {
    state: left === 0 ? ended : left > paused + pausing ? 'busy' : held,
    isIdle: sending.every(({ isRetrying }) => isRetrying),
    left,
    paused,
    pausing,
    done,
    failed,
    size: counted.reduce((sum, { file }) => sum + file.size, 0),
    sent: counted.reduce((sum, { sent }) => sum + sent, 0),
    rest: active.reduce((sum, { file, sent }) => sum + file.size - sent, 0),
  }
}

function headline({ state, left, paused, done, failed }: Summary): string {
  if (state === 'busy') return texts.uploads.busy(formatCount(left - paused, texts.nouns.file), paused)
  if (state === 'pausing') return texts.uploads.pausing
  if (state === 'paused') return texts.uploads.paused(formatCount(paused, texts.nouns.file))
  if (state === 'failed') return texts.uploads.someFailed(formatCount(failed, texts.nouns.file))
  return state === 'done'
    ? texts.uploads.done(formatCount(done, texts.nouns.file))
    : texts.uploads.allCanceled
}

function subline({ state, isIdle, left, pausing, size, sent, rest, done }: Summary): string {
  if (state === 'canceled') return texts.uploads.othersDone(0)
  if (state === 'pausing') return texts.uploads.pausingText(formatCount(pausing, texts.nouns.file))
  if (left === 0) return state === 'failed' ? texts.uploads.othersDone(done) : formatBytes(size)
  const rate = isIdle ? 0 : speed.current()
  const amount = texts.uploads.amount(formatBytes(sent), formatBytes(size))
  if (rate < 1) return amount
  const remaining = formatDuration(rest / rate)
  return `${amount} · ${formatBytes(rate)}/s · ${texts.uploads.remaining(remaining)}`
}

function PanelActions({ all, summary }: { all: readonly Upload[]; summary: Summary }) {
  const failed = all.filter(({ state }) => state === 'failed').map(({ id }) => id)
  if (summary.left === 0 && summary.failed === 0) return null
  const unfinished = new Set(all.filter(isUnfinished).map(({ id }) => id))
  const mayPause = all.some(canPause)
  return (
    <footer className="uploads-actions row at-end wrap">
      {summary.failed > 0 && (
        <Button icon={RotateCcw} onClick={() => void retry(new Set(failed))}>
          {texts.uploads.retryAll}
        </Button>
      )}
      {(mayPause || summary.paused + summary.pausing > 0) && (
        <Button
          icon={mayPause ? Pause : Play}
          onClick={() => (mayPause ? pause(unfinished) : resume(unfinished))}
        >
          {mayPause ? texts.uploads.pauseAll : texts.uploads.resumeAll}
        </Button>
      )}
      {summary.left > 0 && <Button onClick={cancelAll}>{texts.uploads.cancelAll}</Button>}
    </footer>
  )
}

/** Asks before the page closes, which would interrupt uploads. */
function useLeaveWarning(isNeeded: boolean): void {
  useEffect(() => {
    if (!isNeeded) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [isNeeded])
}

/** Storage of an account that has a limit. It is read again when the last upload ends. */
export function UploadStorage({ hasEnded }: { hasEnded: boolean }) {
  const { data, refetch } = useStorage()
  useEffect(() => {
    if (hasEnded) refetch()
  }, [hasEnded, refetch])
  if (!data || data.quota === null) return null
  return (
    <p className="uploads-storage note digits">
      {accountTexts.storage}: {accountTexts.usedOf(formatBytes(data.usedBytes), formatBytes(data.quota))}
    </p>
  )
}
