import { Upload } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useMayWriteIn } from '../api/reach.ts'
import { toast } from '../components/overlays/toast.tsx'
import { withMarks } from '../lib/format.ts'
import { lastSegment } from '../lib/paths.ts'
import { useStore } from '../lib/store.ts'
import { texts } from '../texts.ts'
import { collectDrop, uploadTarget } from './collect.ts'
import { addUploads } from './start.ts'

/**
 * Drop target for files and folders: the whole window. A drop onto a folder's row, or its name in the path or the
 * navigation, goes into that folder. Dragged items of a list move there, or to the trash.
 */
export function DropZone() {
  const open = useStore(uploadTarget)
  const mayWriteIn = useMayWriteIn()
  const over = useDrop((transfer, folder = open) => {
    if (!mayWriteIn(folder)) return
    collectDrop(transfer)
      .then((collected) => addUploads(collected, folder))
      .catch(() => toast.error(texts.uploads.unreadable))
  })
  if (!over || !mayWriteIn(over.folder ?? open)) return null
  return (
    <div className="drop-zone" aria-hidden>
      <p className="row">
        <Upload size={18} />
        {texts.uploads.dropInto(withMarks(lastSegment(over.folder ?? open)))}
      </p>
    </div>
  )
}

/** Place under dragged files. */
interface Over {
  /** Object key of the folder whose element is under the pointer. */
  folder: string | undefined
}

type Receive = (transfer: DataTransfer, folder: string | undefined) => void

/** Returns the place under dragged files; undefined while none are dragged. `onFiles` receives dropped ones. */
function useDrop(onFiles: Receive): Over | undefined {
  const [over, setOver] = useState<Over>()
  const latest = useRef(onFiles)
  latest.current = onFiles
  useEffect(() => {
    const watch = new DropWatch({ onOver: setOver, onFiles: (...drop) => latest.current(...drop) })
    return () => watch.end()
  }, [])
  return over
}

interface Watchers {
  onOver: (change: (now: Over | undefined) => Over | undefined) => void
  onFiles: Receive
}

/** Listens to drags over the window, and marks the folder under them. */
class DropWatch {
  readonly #watchers: Watchers
  readonly #listeners = new AbortController()
  /** Enter and leave events of the elements below come in pairs. */
  #depth = 0
  #marked: HTMLElement | undefined

  constructor(watchers: Watchers) {
    this.#watchers = watchers
    const { signal } = this.#listeners
    // An element that disappears during its drag gets no end of it, so the next start also ends it.
    window.addEventListener('dragstart', () => this.#release(), { signal, capture: true })
    window.addEventListener('dragenter', () => this.#enter(1), { signal })
    window.addEventListener('dragleave', () => this.#enter(-1), { signal })
    window.addEventListener('dragover', (event) => this.#dragOver(event), { signal })
    window.addEventListener('drop', (event) => this.#drop(event), { signal })
    window.addEventListener('dragend', () => this.#release(), { signal })
  }

  end(): void {
    this.#listeners.abort()
  }

  #enter(step: number): void {
    this.#depth += step
    if (this.#depth <= 0) this.#leave()
  }

  #leave(): void {
    this.#depth = 0
    this.#mark(undefined)
    this.#watchers.onOver(() => undefined)
  }

  #release(): void {
    dragging.now = undefined
    this.#leave()
  }

  #mark(element: HTMLElement | undefined): void {
    this.#marked?.classList.remove('is-drop-target')
    this.#marked = element
    element?.classList.add('is-drop-target')
  }

  #dragOver(event: DragEvent): void {
    const taker = takerOf(event)
    if (taker !== this.#marked) this.#mark(taker)
    if (!taker && !hasFiles(event)) return
    event.preventDefault()
    if (!hasFiles(event) || !event.dataTransfer) return
    event.dataTransfer.dropEffect = 'copy'
    const folder = taker && folderOf(taker)
    this.#watchers.onOver((now) => (now && now.folder === folder ? now : { folder }))
  }

  #drop(event: DragEvent): void {
    const taker = takerOf(event)
    const folder = taker && folderOf(taker)
    this.#leave()
    if (!taker && !hasFiles(event)) return
    event.preventDefault()
    if (taker && isTrash(taker)) dragging.now?.remove?.()
    else if (hasFiles(event) && event.dataTransfer) this.#watchers.onFiles(event.dataTransfer, folder)
    else if (folder !== undefined) dragging.now?.moveInto(folder)
  }
}

/** Returns the element under the pointer that takes the drag: that of a folder, or the trash. */
function takerOf(event: DragEvent): HTMLElement | undefined {
  const element = findDropTarget(event) ?? undefined
  if (element && isTrash(element)) return dragging.now?.remove && !hasFiles(event) ? element : undefined
  if (hasFiles(event)) return element
  return element && dragging.now?.fits(folderOf(element)) ? element : undefined
}

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') === true

/** Items of a list that are dragged. */
export interface Dragged {
  /** True if the items can move into the folder at an object key. */
  fits: (folder: string) => boolean
  moveInto: (folder: string) => void
  /** Moves the items to the trash; missing without permission. */
  remove?: (() => void) | undefined
}

/** Current drag. Events reveal what is dragged only at the drop. */
export const dragging: { now: Dragged | undefined } = { now: undefined }

/** Returns the attribute of an element that takes drops for a folder. */
export const dropTarget = (folder: string) => ({ 'data-drop-folder': folder })

/** Attribute of an element that takes dragged items to the trash. */
export const TRASH_TARGET = { 'data-drop-trash': '' }

/** Returns the element under the pointer that takes drops. */
export const findDropTarget = ({ target }: Event): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('[data-drop-folder], [data-drop-trash]') : null

export const isTrash = (element: HTMLElement): boolean => element.dataset['dropTrash'] !== undefined

export const folderOf = (element: HTMLElement): string => element.dataset['dropFolder'] ?? ''
