import { useEffect } from 'react'
import type { FileItem } from '../items.ts'
import { earlyPictureOf } from '../pictures.ts'
import { kindOfContent, sourceOf } from './kind.ts'

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
