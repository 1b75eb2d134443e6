import { useVirtualizer } from '@tanstack/react-virtual'
import { Check, Pause, Play, RotateCcw, X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { IconButton } from '../components/fields/button.tsx'
import { Progress } from '../components/progress.tsx'
import { formatBytes, withMarks } from '../lib/format.ts'
import { texts } from '../texts.ts'
import { retry } from './add.ts'
import { cancel, canPause, hasEnded, isUnfinished, pause, resume, type Upload } from './queue.ts'

const words = texts.uploads
const ROW_HEIGHT = 52
/** Height in pixels of a row that shows its error in two lines. */
const FAILED_HEIGHT = 76

/** Uploads with their states, and buttons for each. */
export function UploadList({ all }: { all: readonly Upload[] }) {
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
    <div
      ref={scroller}
      className="uploads-list scroll"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must reach that
      tabIndex={0}
      role="group"
      aria-label={words.title}
    >
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
  const only = new Set([id])
  return (
    <li
      className={`upload upload-${state} row gap-0 wrap`}
      style={{ transform: `translateY(${top}px)`, height }}
    >
      <div className="stack gap-0 grow tight">
        <span className="small cut">{withMarks(file.name)}</span>
        <span className="upload-state note digits cut" title={message}>
          {message ? withMarks(message) : stateText(upload)}
        </span>
      </div>
      {state === 'done' && <Check aria-hidden size={16} />}
      {state === 'paused' ? (
        <IconButton key="pause" icon={Play} label={words.resume(file.name)} onClick={() => resume(only)} />
      ) : (
        canPause(upload) && (
          <IconButton key="pause" icon={Pause} label={words.pause(file.name)} onClick={() => pause(only)} />
        )
      )}
      {isUnfinished(upload) && (
        <IconButton icon={X} label={words.cancel(file.name)} onClick={() => cancel(only)} />
      )}
      {hasEnded(upload) && (
        <IconButton icon={RotateCcw} label={words.retry(file.name)} onClick={() => void retry(only)} />
      )}
      {(state === 'sending' || (state === 'paused' && sent > 0)) && (
        <Progress label={file.name} value={sent / Math.max(1, file.size)} />
      )}
    </li>
  )
}

function stateText({ state, file, sent, isRetrying, isSignedOut }: Upload): string {
  if (isSignedOut && state === 'paused') return texts.signIn.paused
  const size = formatBytes(file.size)
  const amount = sent > 0 ? words.amount(formatBytes(sent), size) : size
  if (state !== 'sending') return `${words.states[state]} · ${state === 'paused' ? amount : size}`
  return isRetrying ? words.retrying : words.amount(formatBytes(sent), size)
}
