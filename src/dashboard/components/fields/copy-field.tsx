import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { texts } from '../../texts.ts'
import { toast } from '../overlays/toast.tsx'
import { Button } from './button.tsx'

interface CopyButtonProps {
  text: string
  label?: string
}

export function CopyButton({ text, label = texts.actions.copy }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false)
  const copy = () =>
    copyText(text).then(
      () => {
        setCopied(true)
        setTimeout(() => setCopied(false), 2000)
      },
      () => toast.error(texts.errors.copy),
    )
  return (
    <Button icon={isCopied ? Check : Copy} onClick={copy}>
      <span aria-live="polite">{isCopied ? texts.actions.copied : label}</span>
    </Button>
  )
}

interface CopyFieldProps {
  label: string
  text: string
}

/** Text to copy: shown in full, selected by a click, copied by its button. */
export const CopyField = ({ label, text }: CopyFieldProps) => (
  <div className="copy-field row">
    <input
      className="input code"
      readOnly
      aria-label={label}
      value={text}
      onFocus={(event) => event.target.select()}
    />
    <CopyButton text={text} />
  </div>
)

/** Several lines of code with a button that copies them. */
export const CodeBlock = ({ label, code }: { label: string; code: string }) => (
  <figure className="code-block row top gap-3 well" aria-label={label}>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must reach that */}
    <pre tabIndex={0}>{code}</pre>
    <CopyButton text={code} />
  </figure>
)

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
