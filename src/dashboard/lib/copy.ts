/**
 * Puts text on the clipboard. Browsers offer their clipboard only to secure origins, and many instances are
 * reached by plain HTTP in a local network: there the old way still works.
 *
 * @throws when the browser refuses both.
 */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const field = document.createElement('textarea')
  field.value = text
  field.readOnly = true
  field.className = 'visually-hidden'
  // Inside an open dialog: focus cannot leave it.
  const place = document.querySelector('[role=dialog]') ?? document.body
  const focused = document.activeElement
  place.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  if (focused instanceof HTMLElement) focused.focus()
  if (!isCopied) throw new Error('The browser did not copy')
}
