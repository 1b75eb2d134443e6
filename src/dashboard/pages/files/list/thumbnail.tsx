import { useEffect, useRef, useState } from 'react'
import { kindOf } from '../../../lib/kinds.ts'
import { type FileItem, type Item, isFile } from '../items.ts'
import { ItemIcon } from './item-icon.tsx'
import { thumbnailQueue, type Waiting } from './thumbnails.ts'

/** Maximum size of an image that is loaded as a thumbnail. */
const THUMBNAIL_BYTES = 4 * 1024 ** 2
/** Milliseconds in view before a thumbnail loads. What only scrolls by is skipped. */
const STAY_MS = 120

/** Thumbnail of an item, or the icon of its kind. */
export function Thumbnail({ item }: { item: Item }) {
  const isPicture = isFile(item) && kindOf(item) === 'image' && item.size <= THUMBNAIL_BYTES
  return (
    <div className="thumbnail">
      {isPicture ? <Picture key={item.url} item={item} /> : <ItemIcon item={item} size={40} />}
    </div>
  )
}

function Picture({ item }: { item: FileItem }) {
  const url = `/${item.url}`
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
      {state !== 'loaded' && <ItemIcon item={item} size={40} />}
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
