/** Style sheets of chunks, by their addresses. */
const sheets = new Map<string, Promise<void>>()
/** The last of them. They come before the style sheet of the page, whose rules for narrow screens win. */
let last: HTMLLinkElement | undefined

/** Loads the style sheet of a component that is in a chunk. What the server does not give leaves it plain. */
export function loadStyle(href: string): void {
  if (sheets.has(href)) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href })
  link.onload = () => resolve()
  link.onerror = () => resolve()
  if (last) last.after(link)
  else document.head.prepend(link)
  last = link
  sheets.set(href, promise)
}

/** Resolves when the style sheets of the chunks so far are there. */
export const stylesLoaded = (): Promise<unknown> => Promise.all(sheets.values())
