import * as Radix from '@radix-ui/react-dialog'
import { ChevronLeft, ChevronRight, Download, FileX2, Info, Share2, Trash2, X } from 'lucide-react'
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react'
import { hasStatus } from '../../../api/client.ts'
import { IconButton } from '../../../components/fields/button.tsx'
import { lazyComponent } from '../../../components/lazy.tsx'
import { Empty, Failure, Loading } from '../../../components/notice.tsx'
import { focusItself, useEscape } from '../../../components/overlays/layers.ts'
import { formatBytes, withMarks } from '../../../lib/format.ts'
import { instanceName } from '../../../lib/instance.ts'
import { createPreference, usePreference } from '../../../lib/store.ts'
import { loadStyle } from '../../../lib/style.ts'
import { setTitleAbove } from '../../../lib/title.ts'
import { previewTexts } from '../../../texts/preview.ts'
import { texts } from '../../../texts.ts'
import type { FileCommands } from '../commands.ts'
import { FileFacts } from '../dialogs/details.tsx'
import { download } from '../downloads.ts'
import { FavoriteButton } from '../favorites.tsx'
import type { FileItem, Item } from '../items.ts'
import { useItemRights } from '../rights.ts'
import { useIsEditing, useLeavePreview } from './address.ts'
import { Content } from './content.tsx'
import { type Place, usePlace, usePreloaded } from './neighbours.ts'
import css from './viewer.css' with { type: 'file' }

loadStyle(css)

const Editor = lazyComponent(() => import('../edit/editor.tsx'))

/** Choice to see the details beside each file. */
const detailsPreference = createPreference('preview-details', ['off', 'on'], 'off')

interface PreviewProps {
  id: string
  /** Items of the list, through whose files the preview leads. */
  items: Item[]
  commands: FileCommands
}

/** Content of a file in the whole window, with the way to the files beside it. */
export default function Preview({ id, items, commands }: PreviewProps) {
  const { showOther, close } = useLeavePreview()
  const isAsked = useIsEditing()
  const place = usePlace(id, items, isAsked)
  const { file, previous, next } = place
  const { mayWrite } = useItemRights(file ? [file] : [])
  const edited = isAsked && mayWrite ? file : undefined
  // Escape belongs to the editor.
  useEscape(close, !edited)
  usePreloaded([next, previous])
  useTitle(file?.name)
  const focusList = useFocusOfList(items.findIndex((item) => item.id === id))
  const [details, chooseDetails] = usePreference(detailsPreference)
  const toggleDetails = () => chooseDetails(details === 'on' ? 'off' : 'on')
  const step = (other: FileItem | undefined) => other && showOther(other.id)
  const onKeyDown = (event: KeyboardEvent) => {
    if (edited || !(event.target instanceof Element)) return
    if (event.ctrlKey || event.metaKey || event.altKey || hasOwnArrows(event.target)) return
    if (event.key === 'ArrowRight') step(next)
    else if (event.key === 'ArrowLeft') step(previous)
    else if (event.key === 'i') toggleDetails()
    else if (event.key === '*' && file) commands.star([file])
    else if (event.key === 'Delete' && file && !event.repeat) commands.remove([file])
    else return
    event.preventDefault()
  }
  return (
    <Radix.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <Radix.Portal>
        <Radix.Content
          className={`viewer focus-place ${edited ? 'is-editing' : ''}`}
          aria-describedby={undefined}
          onKeyDown={onKeyDown}
          onOpenAutoFocus={focusItself}
          onCloseAutoFocus={focusList}
          // It fills the window. Outside of it are only messages and dialogs above it.
          onInteractOutside={(event) => event.preventDefault()}
          onEscapeKeyDown={(event) => event.preventDefault()}
        >
          {edited ? (
            <Editor key={edited.id} file={edited} />
          ) : (
            <>
              <Bar
                place={place}
                commands={commands}
                areDetailsOpen={details === 'on'}
                onDetails={toggleDetails}
              />
              <div
                className="viewer-stage column gap-0"
                {...swipeProps({ onLeft: () => step(next), onRight: () => step(previous) })}
              >
                <Stage key={file?.id} place={place} />
              </div>
              <Steps place={place} onStep={step} />
              {file && details === 'on' && (
                <aside className="viewer-details column gap-5 scroll" aria-label={texts.files.details}>
                  <FileFacts file={file} />
                </aside>
              )}
            </>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** Names the file in the browser's tab and history. */
function useTitle(name: string | undefined): void {
  useEffect(() => {
    if (name === undefined) return
    setTitleAbove(`${withMarks(name)} · ${instanceName}`)
    return () => setTitleAbove(undefined)
  }, [name])
}

function Stage({ place: { file, error, retry } }: { place: Place }) {
  if (file) return <Content file={file} />
  if (hasStatus(error, 404)) {
    return (
      <Empty icon={FileX2} title={previewTexts.notFound}>
        <p>{previewTexts.notFoundText}</p>
      </Empty>
    )
  }
  return error ? <Failure error={error} onRetry={retry} /> : <Loading />
}

interface BarProps {
  place: Place
  commands: FileCommands
  areDetailsOpen: boolean
  onDetails: () => void
}

/** Name of the file, and the actions on it. */
function Bar({ place: { file, number, count }, commands, areDetailsOpen, onDetails }: BarProps) {
  const { mayDelete, mayShare } = useItemRights(file ? [file] : [])
  const where = number === undefined || count < 2 ? '' : ` · ${previewTexts.place(number, count)}`
  return (
    <header className="viewer-bar row gap-1">
      <div className="viewer-title grow" aria-live="polite">
        <Radix.Title>{withMarks(file?.name ?? texts.files.preview)}</Radix.Title>
        {file && <p className="tiny soft digits">{`${formatBytes(file.size)}${where}`}</p>}
      </div>
      {file && (
        <div className="viewer-actions row gap-1">
          <FavoriteButton item={file} />
          <IconButton
            icon={Info}
            label={texts.files.details}
            aria-pressed={areDetailsOpen}
            onClick={onDetails}
          />
          {mayShare && (
            <IconButton icon={Share2} label={texts.files.share} onClick={() => commands.share([file])} />
          )}
          <IconButton icon={Download} label={texts.files.download} onClick={() => download([file])} />
          {mayDelete && (
            <IconButton icon={Trash2} label={texts.files.delete} onClick={() => commands.remove([file])} />
          )}
        </div>
      )}
      <Radix.Close asChild>
        <IconButton icon={X} label={texts.actions.close} />
      </Radix.Close>
    </header>
  )
}

interface StepsProps {
  place: Place
  onStep: (file: FileItem | undefined) => void
}

/** Buttons at the sides that lead to the files beside this one. */
function Steps({ place: { previous, next, count }, onStep }: StepsProps) {
  if (count < 2) return null
  // A disabled button would lose the focus that a click gave it.
  return (
    <>
      <IconButton
        className="viewer-step is-previous"
        icon={ChevronLeft}
        label={previewTexts.previous}
        aria-disabled={!previous}
        onClick={() => onStep(previous)}
      />
      <IconButton
        className="viewer-step is-next"
        icon={ChevronRight}
        label={previewTexts.next}
        aria-disabled={!next}
        onClick={() => onStep(next)}
      />
    </>
  )
}

/** True where arrow keys have their own meaning: in fields, players, and regions that scroll sideways. */
function hasOwnArrows(target: Element): boolean {
  if (target.closest('input, select, textarea, video, audio, [role=radiogroup]')) return true
  return target instanceof HTMLElement && target.tabIndex === 0 && target.scrollWidth > target.clientWidth
}

/** Returns the function that focuses the list: the file that was shown last, or what opened the preview. */
function useFocusOfList(index: number): (event: Event) => void {
  const [opener] = useState(() => document.activeElement)
  const shown = useRef(index)
  if (index >= 0) shown.current = index
  return (event) => {
    event.preventDefault()
    const row = document.querySelector(`[role=grid] [data-index="${shown.current}"]`)
    const target = row ?? opener
    if (target instanceof HTMLElement) target.focus()
  }
}

/** Minimum pixels of a swipe, and how much further it goes sideways than up or down. */
const MIN_DISTANCE = 56
const MIN_SLOPE = 1.6

interface Swipes {
  onLeft: () => void
  onRight: () => void
}

/** Places where a finger came down, by the element that listens. */
const starts = new WeakMap<Element, { id: number; x: number; y: number }>()

/** Returns the listeners of an element that one finger swipes over. What moves by itself stops the events. */
export const swipeProps = ({ onLeft, onRight }: Swipes) => ({
  onPointerDown: ({ currentTarget, pointerId, pointerType, isPrimary, clientX, clientY }: PointerEvent) => {
    if (pointerType !== 'touch') return
    if (isPrimary) starts.set(currentTarget, { id: pointerId, x: clientX, y: clientY })
    // A second finger makes it a pinch.
    else starts.delete(currentTarget)
  },
  onPointerUp: ({ currentTarget, pointerId, clientX, clientY }: PointerEvent) => {
    const start = starts.get(currentTarget)
    starts.delete(currentTarget)
    if (start?.id !== pointerId) return
    const [x, y] = [clientX - start.x, clientY - start.y]
    if (Math.abs(x) < MIN_DISTANCE || Math.abs(x) < MIN_SLOPE * Math.abs(y)) return
    if (x < 0) onLeft()
    else onRight()
  },
  onPointerCancel: ({ currentTarget }: PointerEvent) => void starts.delete(currentTarget),
})
