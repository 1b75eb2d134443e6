import { useEffect, useState } from 'react'

/** Style sheets of chunks that are in the page, or on their way. */
const sheets = new Map<string, Promise<void>>()
const loaded = new Set<string>()
/** The last of them. They come before the style sheet of the page, whose rules for narrow screens win. */
let last: HTMLLinkElement | undefined

/** Adds the style sheet of a chunk to the page, once. Without it components are plain, and the next use tries again. */
export function loadStyle(href: string): Promise<void> {
  const known = sheets.get(href)
  if (known) return known
  const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href })
  const loading = new Promise<void>((resolve) => {
    link.onload = () => {
      loaded.add(href)
      resolve()
    }
    link.onerror = () => {
      sheets.delete(href)
      link.remove()
      resolve()
    }
  })
  sheets.set(href, loading)
  if (last?.isConnected) last.after(link)
  else document.head.prepend(link)
  last = link
  return loading
}

/** Loads the style sheet of a component. Returns true once the component can be shown. */
export function useStyle(href: string): boolean {
  const [isReady, setReady] = useState(loaded.has(href))
  useEffect(() => {
    void loadStyle(href).then(() => setReady(true))
  }, [href])
  return isReady
}
