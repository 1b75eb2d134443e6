import { useEffect, useRef } from 'react'
import { useFileDetails } from '../../../api/files.ts'
import { type FileItem, type Item, isFile } from '../items.ts'
import { earlyPictureOf } from '../pictures.ts'
import { useLeavePreview } from './address.ts'
import { kindOfContent, sourceOf } from './kind.ts'

/** A previewed file and its place in the list. */
export interface Place {
  file: FileItem | undefined
  error: unknown
  retry: () => void
  previous: FileItem | undefined
  next: FileItem | undefined
  /** Number of the file, from 1; undefined for one that is not in the list. */
  number: number | undefined
  count: number
}

/**
 * Returns the place of a file in the list. One that the list does not show is read by itself.
 *
 * @param isHeld True if the file stays until it is closed, also when it is deleted or moved.
 */
export function usePlace(id: string, items: readonly Item[], isHeld: boolean): Place {
  const files = items.filter(isFile)
  const index = files.findIndex((file) => file.id === id)
  const listed = files[index]
  const { data, error, refetch } = useFileDetails(id, listed === undefined)
  useLeaveRemoved(id, files, isHeld ? undefined : index)
  const read = data && { is: 'file' as const, ...data.file }
  const last = useRef<FileItem>(undefined)
  last.current = listed ?? read ?? (isHeld && last.current?.id === id ? last.current : undefined)
  return {
    file: last.current,
    error: listed ? undefined : error,
    retry: () => void refetch(),
    previous: files[index - 1],
    next: index < 0 ? undefined : files[index + 1],
    number: index < 0 ? undefined : index + 1,
    count: files.length,
  }
}

/** Goes on to the file in its place when the previewed one is deleted or moved, or closes after the last. */
function useLeaveRemoved(id: string, files: readonly FileItem[], index: number | undefined): void {
  const { showOther, close } = useLeavePreview()
  const known = useRef({ id: '', index: -1 })
  useEffect(() => {
    if (index === undefined) return
    const was = known.current
    known.current = { id, index }
    if (index >= 0 || was.id !== id || was.index < 0) return
    const other = files[Math.min(was.index, files.length - 1)]
    if (other) showOther(other.id)
    else close()
  })
}

/** Maximum size of a picture that loads whole before it is asked for. */
const MAX_BYTES = 24 * 1024 ** 2

/** Loads and decodes the pictures beside the one in view, so that they appear at once. */
export function usePreloaded(files: readonly (FileItem | undefined)[]): void {
  const wanted = files
    .filter((file) => file !== undefined)
    .filter((file) => kindOfContent(file) === 'picture')
    .flatMap((file) => [earlyPictureOf(file), file.size <= MAX_BYTES ? sourceOf(file) : undefined])
    .filter((src) => src !== undefined)
    .join('\n')
  useEffect(() => {
    if (wanted === '') return
    const pictures = wanted.split('\n').map((src) => {
      const picture = new Image()
      picture.fetchPriority = 'low'
      picture.src = src
      // One that does not load says so when it is in view.
      picture.decode().catch(() => undefined)
      return picture
    })
    return () => {
      for (const picture of pictures) if (!picture.complete) picture.removeAttribute('src')
    }
  }, [wanted])
}
