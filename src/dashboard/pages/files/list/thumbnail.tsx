import { useEffect, useRef, useState } from 'react'
import { kindOf } from '../../../lib/kinds.ts'
import { withMarks } from '../../../lib/marks.ts'
import { extensionOf } from '../../../lib/names.ts'
import { type FileItem, type Item, isFile } from '../items.ts'
import { ItemIcon } from './item-icon.tsx'
import { thumbnailQueue, type Waiting } from './thumbnails.ts'

/** Types and maximum size of pictures that the server makes thumbnails of. */
const SERVER_TYPES = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/bmp'])
const SERVER_BYTES = 64 * 1024 ** 2
/** Maximum size of any other image that is loaded whole. */
const WHOLE_BYTES = 4 * 1024 ** 2
/** Maximum length of an extension that is shown below an icon. */
const MAX_BADGE = 5
/** Milliseconds in view before a thumbnail loads. What only scrolls by is skipped. */
const STAY_MS = 120

/** Thumbnail of an item, or the icon of its kind. */
export function Thumbnail({ item }: { item: Item }) {
  const url = isFile(item) ? pictureOf(item) : undefined
  return (
    <div className="thumbnail">
      {url === undefined ? <Placeholder item={item} /> : <Picture key={url} item={item} url={url} />}
    </div>
  )
}

/** Returns the address of a small picture of a file. */
function pictureOf({ id, url, mimeType, size }: FileItem): string | undefined {
  if (SERVER_TYPES.has(mimeType) && size <= SERVER_BYTES) return `/api/files/thumbnail/${id}?width=400`
  return kindOf({ mimeType }) === 'image' && size <= WHOLE_BYTES ? `/${url}` : undefined
}

/** Icon of an item, and its extension as long as that is short. */
function Placeholder({ item }: { item: Item }) {
  const extension = isFile(item) ? extensionOf(item.name) : ''
  return (
    <span className="placeholder">
      <ItemIcon item={item} size={40} />
      {extension !== '' && extension.length <= MAX_BADGE && (
        <span className={`extension kind-${isFile(item) ? kindOf(item) : 'other'}`} aria-hidden>
          {withMarks(extension)}
        </span>
      )}
    </span>
  )
}

function Picture({ item, url }: { item: Item; url: string }) {
  const [state, setState] = useState<'waiting' | 'loading' | 'loaded'>('waiting')
  const waiting = useRef<Waiting>(undefined)
  useEffect(() => {
    const picture = { url, start: () => setState('loading') }
    waiting.current = picture
    const timer = setTimeout(() => thumbnailQueue.add(picture), STAY_MS)
    return () => {
      clearTimeout(timer)
      thumbnailQueue.remove(picture)
    }
  }, [url])
  const onLoad = () => {
    setState('loaded')
    if (waiting.current) thumbnailQueue.ended(waiting.current)
  }
  const onError = () => {
    setState('waiting')
    if (waiting.current) void thumbnailQueue.failed(waiting.current)
  }
  return (
    <>
      {state !== 'loaded' && <Placeholder item={item} />}
      {state !== 'waiting' && (
        <img
          src={url}
          alt=""
          hidden={state === 'loading'}
          decoding="async"
          draggable={false}
          onLoad={onLoad}
          onError={onError}
        />
      )}
    </>
  )
}
