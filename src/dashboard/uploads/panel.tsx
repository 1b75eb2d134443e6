import { useVirtualizer } from '@tanstack/react-virtual'
import { Check, ChevronDown, ChevronUp, RotateCcw, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Progress } from '../components/charts/progress.tsx'
import { Button, IconButton } from '../components/fields/button.tsx'
import { formatBytes, formatCount, formatDuration } from '../lib/format.ts'
import { withMarks } from '../lib/marks.ts'
import { useStore } from '../lib/store.ts'
import { setTitleProgress } from '../lib/title.ts'
import { texts } from '../texts.ts'
import {
  cancel,
  cancelAll,
  clearFinished,
  isUnfinished,
  retry,
  speed,
  type Upload,
  uploads,
} from './queue.ts'
import { UnfinishedUploads } from './unfinished.tsx'

/** Progress of all uploads together and of each. */
export default function UploadPanel() {
  const all = useStore(uploads)
  const [isOpen, setOpen] = useState(true)
  const summary = summarize(all)
  const share = summary.sent / Math.max(1, summary.size)
  useLeaveWarning(summary.left > 0)
  useEffect(() => setTitleProgress(summary.left > 0 ? share : undefined), [summary.left, share])
  if (all.length === 0) return <UnfinishedUploads />
  return (
    <section className={`uploads uploads-${summary.state}`} aria-label={texts.uploads.title}>
      <header className="uploads-header">
        <span className="uploads-sign" aria-hidden>
          {summary.state === 'done' && <Check size={18} strokeWidth={3} />}
        </span>
        <div className="uploads-summary">
          <h2 aria-live="polite">{headline(summary)}</h2>
          <p>{subline(summary)}</p>
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
      <PanelActions all={all} summary={summary} />
    </section>
  )
}

interface Summary {
  state: 'busy' | 'done' | 'failed' | 'canceled'
  /** True while nothing is sent. */
  isPaused: boolean
  left: number
  done: number
  failed: number
  size: number
  sent: number
}

function summarize(all: readonly Upload[]): Summary {
  const count = (state: Upload['state']) => all.filter((upload) => upload.state === state).length
  const counted = all.filter(({ state }) => state !== 'canceled' && state !== 'failed')
  const left = all.filter(isUnfinished).length
  const failed = count('failed')
  const done = count('done')
  const sending = all.filter(({ state }) => state === 'sending')
  const ended = failed > 0 ? 'failed' : done > 0 ? 'done' : 'canceled'
  return {
    state: left > 0 ? 'busy' : ended,
    isPaused: sending.length > 0 && sending.every(({ isRetrying }) => isRetrying),
    left,
    done,
    failed,
    size: counted.reduce((sum, { file }) => sum + file.size, 0),
    sent: counted.reduce((sum, { sent }) => sum + sent, 0),
  }
}

function headline({ state, left, done, failed }: Summary): string {
  if (state === 'busy') return texts.uploads.busy(formatCount(left, texts.nouns.file))
  if (state === 'failed') return texts.uploads.someFailed(formatCount(failed, texts.nouns.file))
  return state === 'done'
    ? texts.uploads.done(formatCount(done, texts.nouns.file))
    : texts.uploads.allCanceled
}

function subline({ state, isPaused, size, sent, done }: Summary): string {
  if (state === 'canceled') return texts.uploads.othersDone(0)
  if (state !== 'busy') return state === 'failed' ? texts.uploads.othersDone(done) : formatBytes(size)
  const rate = isPaused ? 0 : speed.current()
  const amount = texts.uploads.amount(formatBytes(sent), formatBytes(size))
  if (rate < 1) return amount
  const remaining = formatDuration((size - sent) / rate)
  return `${amount} · ${formatBytes(rate)}/s · ${texts.uploads.remaining(remaining)}`
}

function PanelActions({ all, summary }: { all: readonly Upload[]; summary: Summary }) {
  const failed = all.filter(({ state }) => state === 'failed').map(({ id }) => id)
  if (summary.left === 0 && summary.failed === 0) return null
  return (
    <footer className="uploads-actions">
      {summary.failed > 0 && (
        <Button icon={RotateCcw} onClick={() => retry(new Set(failed))}>
          {texts.uploads.retryAll}
        </Button>
      )}
      {summary.left > 0 && <Button onClick={cancelAll}>{texts.uploads.cancelAll}</Button>}
    </footer>
  )
}

const ROW_HEIGHT = 52
/** Height in pixels of a row that shows its error in two lines. */
const FAILED_HEIGHT = 76

function UploadList({ all }: { all: readonly Upload[] }) {
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: all.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (all[index]?.state === 'failed' ? FAILED_HEIGHT : ROW_HEIGHT),
    overscan: 4,
  })
  const failed = all.filter(({ state }) => state === 'failed').length
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows grow when they fail
  useEffect(() => rows.measure(), [failed])
  return (
    <div ref={scroller} className="uploads-list">
      <ul style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start, size, key }) => {
          const upload = all[index]
          return upload && <UploadRow key={key} upload={upload} top={start} height={size} />
        })}
      </ul>
    </div>
  )
}

interface UploadRowProps {
  upload: Upload
  /** Distance from the top in pixels. */
  top: number
  height: number
}

function UploadRow({ upload, top, height }: UploadRowProps) {
  const { id, file, state, sent, message } = upload
  const mayRetry = state === 'failed' || state === 'canceled'
  return (
    <li className={`upload upload-${state}`} style={{ transform: `translateY(${top}px)`, height }}>
      <div className="upload-text">
        <span className="upload-name">{withMarks(file.name)}</span>
        <span className="upload-state" title={message}>
          {message ? withMarks(message) : stateText(upload)}
        </span>
      </div>
      {state === 'done' && <Check aria-hidden size={16} />}
      {isUnfinished(upload) && (
        <IconButton icon={X} label={texts.uploads.cancel(file.name)} onClick={() => cancel(new Set([id]))} />
      )}
      {mayRetry && (
        <IconButton
          icon={RotateCcw}
          label={texts.uploads.retry(file.name)}
          onClick={() => retry(new Set([id]))}
        />
      )}
      {state === 'sending' && <Progress label={file.name} value={sent / Math.max(1, file.size)} />}
    </li>
  )
}

function stateText({ state, file, sent, isRetrying }: Upload): string {
  const size = formatBytes(file.size)
  if (state !== 'sending') return `${texts.uploads.states[state]} · ${size}`
  return isRetrying ? texts.uploads.retrying : texts.uploads.amount(formatBytes(sent), size)
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
