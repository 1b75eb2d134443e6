import { useEffect, useState } from 'react'
import { client } from '../../../api/client.ts'

/** Milliseconds in view after which a placeholder is asked for: before thumbnails take all connections. */
const STAY_MS = 60
/** Maximum files of one request. */
const MAX_IDS = 100

/** Functions that take the placeholders of the next request, by the ids of their files. */
const waiting = new Map<string, (base64: string) => void>()

/** Asks for the placeholders of all that has come into view. Without a response, the icons stay. */
async function askForAll(): Promise<void> {
  const asked = [...waiting].slice(0, MAX_IDS)
  for (const [id] of asked) waiting.delete(id)
  if (waiting.size > 0) setTimeout(askForAll)
  const found = await client.files.placeholders(asked.map(([id]) => id)).catch(() => undefined)
  for (const [id, take] of asked) if (found?.[id]) take(found[id])
}

/** Returns the address of what stands in for a file's thumbnail, once it is known; undefined without a file. */
export function usePlaceholder(id: string | undefined): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (id === undefined) return
    let [isGone, made] = [false, '']
    const timer = setTimeout(() => {
      if (waiting.size === 0) setTimeout(askForAll)
      waiting.set(id, (base64) => {
        if (isGone) return
        const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
        made = URL.createObjectURL(new Blob([bytes], { type: 'image/webp' }))
        setUrl(made)
      })
    }, STAY_MS)
    return () => {
      isGone = true
      clearTimeout(timer)
      URL.revokeObjectURL(made)
    }
  }, [id])
  return url
}
