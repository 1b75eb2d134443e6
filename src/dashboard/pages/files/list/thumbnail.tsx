import { type ReactNode, useEffect, useRef, useState } from 'react'
import { kindOf } from '../../../../platform/kinds.ts'
import { KindIcon, tintOf } from '../../../components/icons.tsx'
import { extensionOf, withMarks } from '../../../lib/format.ts'
import { type Item, isFile } from '../items.ts'
import { pictureOf, serverPictureOf, thumbnailQueue, type Waiting } from '../pictures.ts'
import { usePlaceholder } from './placeholder.ts'

/** Maximum length of an extension that is shown below an icon. */
const MAX_BADGE = 5
/** Milliseconds in view before a thumbnail loads. What only scrolls by is skipped. */
const STAY_MS = 120

/** Thumbnail of an item, or the icon of its kind. */
export function Thumbnail({ item }: { item: Item }) {
  const url = isFile(item) ? pictureOf(item) : undefined
  return (
    <div className="thumbnail">
      <Picture key={url} url={url} item={item}>
        <LargeIcon item={item} />
      </Picture>
    </div>
  )
}

/** Width of the thumbnails in rows, in pixels of a dense screen. */
const ROW_WIDTH = 200

/** Small thumbnail in a row, or the icon of its kind. */
export function RowThumbnail({ item }: { item: Item }) {
  const url = isFile(item) ? pictureOf(item, ROW_WIDTH) : undefined
  return (
    <span className="row-thumbnail stack in-middle rigid">
      <Picture key={url} url={url} item={item}>
        <ItemIcon item={item} />
      </Picture>
    </span>
  )
}

const contentOf = ({ id, updatedAt }: Item) => `${id} ${updatedAt}`

/** Icon of an item, and its extension as long as that is short. */
function LargeIcon({ item }: { item: Item }) {
  const extension = isFile(item) ? extensionOf(item.name) : ''
  return (
    <span className="stack gap-2 in-middle">
      <ItemIcon item={item} size={40} />
      {extension !== '' && extension.length <= MAX_BADGE && (
        <span className="extension" style={tintOf(isFile(item) ? kindOf(item) : 'other')} aria-hidden>
          {withMarks(extension)}
        </span>
      )}
    </span>
  )
}

interface PictureProps {
  /** Address of the picture; undefined without one. */
  url: string | undefined
  item: Item
  /** Shown until the picture is loaded, or what stands in for it. */
  children: ReactNode
}

/** Ends the loading of a picture that leaves the view: removing the element alone does not. */
const stopLoading = (image: HTMLImageElement) => () => image.removeAttribute('src')

function Picture({ url, item, children }: PictureProps) {
  const [state, setState] = useState<'waiting' | 'loading' | 'loaded'>('waiting')
  const isMade = isFile(item) && serverPictureOf(item, ROW_WIDTH) !== undefined
  const placeholder = usePlaceholder(isMade && state !== 'loaded' ? item.id : undefined)
  const waiting = useRef<Waiting>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a picture that is shown stays
  useEffect(() => {
    if (url === undefined) return
    const picture = { url, content: contentOf(item), start: () => setState('loading') }
    waiting.current = picture
    const timer = setTimeout(() => thumbnailQueue.add(picture), STAY_MS)
    return () => {
      clearTimeout(timer)
      thumbnailQueue.remove(picture)
    }
  }, [url])
  const onLoad = ({ currentTarget }: { currentTarget: HTMLImageElement }) => {
    // The placeholder stays until the picture can be drawn.
    const show = () => setState('loaded')
    currentTarget.decode().then(show, show)
    if (waiting.current) thumbnailQueue.ended(waiting.current)
  }
  const onError = () => {
    setState('waiting')
    if (waiting.current) void thumbnailQueue.failed(waiting.current)
  }
  return (
    <>
      {state !== 'loaded' &&
        (placeholder === undefined ? (
          children
        ) : (
          <span className="placeholder" style={{ backgroundImage: `url(${placeholder})` }} />
        ))}
      {state !== 'waiting' && (
        <img
          ref={stopLoading}
          src={url}
          className={placeholder === undefined ? undefined : 'is-awaited'}
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

export const ItemIcon = ({ item, size = 20 }: { item: Item; size?: number }) => (
  <KindIcon kind={isFile(item) ? kindOf(item) : 'folder'} size={size} />
)
