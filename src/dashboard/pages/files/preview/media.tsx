import { type ReactNode, useState } from 'react'
import type { FileItem } from '../items.ts'
import { posterOf } from '../pictures.ts'
import { kindOfContent, sourceOf } from './kind.ts'

interface MediaProps {
  file: FileItem
  /** Address of the content; the hosted one by default. */
  src?: string
  /** Shown for what the browser cannot play. */
  fallback: ReactNode
}

/** Video or audio with the browser's controls. */
export function Media({ file, src, fallback }: MediaProps) {
  const [isBroken, setBroken] = useState(false)
  if (isBroken) return fallback
  const fail = () => setBroken(true)
  const props = {
    'aria-label': file.name,
    src: src ?? sourceOf(file),
    controls: true,
    onError: fail,
    // React passes on no event from before the element is in the page, where it may have failed already.
    ref: (media: HTMLMediaElement | null) => void (media?.error && fail()),
  }
  if (kindOfContent(file) === 'audio') {
    return <audio {...props} />
  }
  return <video {...props} playsInline poster={src === undefined ? posterOf(file) : undefined} />
}
