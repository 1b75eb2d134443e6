/** Ends of the elements whose content is no text. */
const ENDS = { script: /<\/script\s*>/gi, style: /<\/style\s*>/gi }
const WITHOUT_TEXT = /(script|style)\b/iy

/** Removes tags, comments, scripts and styles in one pass. A comment or script without an end reaches to the last. */
export function withoutTags(html: string): string {
  const texts: string[] = []
  let at = 0
  for (;;) {
    const start = html.indexOf('<', at)
    if (start === -1) return texts.join('') + html.slice(at)
    texts.push(html.slice(at, start))
    const end = endOfTag(html, start)
    if (end === undefined) return texts.join('') + html.slice(start)
    at = end
  }
}

/** Returns the index after what begins at a `<`; undefined if that is text. */
function endOfTag(html: string, start: number): number | undefined {
  if (html.startsWith('<!--', start)) return after(html.indexOf('-->', start), 3) ?? html.length
  WITHOUT_TEXT.lastIndex = start + 1
  const name = WITHOUT_TEXT.exec(html)?.[1]?.toLowerCase()
  if (name !== 'script' && name !== 'style') return after(html.indexOf('>', start), 1)
  const end = ENDS[name]
  end.lastIndex = start
  return end.test(html) ? end.lastIndex : html.length
}

const after = (index: number, length: number) => (index === -1 ? undefined : index + length)
