import { WrapText } from 'lucide-react'
import { useMemo } from 'react'
import { IconButton } from '../../../../components/fields/button.tsx'
import { createPreference, usePreference } from '../../../../lib/store.ts'
import { previewTexts } from '../../../../texts/preview.ts'
import { hasLongLine } from './code.tsx'
import type { Format } from './language.ts'

interface WrapProps {
  isWrapped: boolean
  onWrap: (isWrapped: boolean) => void
}

export const WrapButton = ({ isWrapped, onWrap }: WrapProps) => (
  <IconButton
    icon={WrapText}
    label={previewTexts.wrap}
    aria-pressed={isWrapped}
    onClick={() => onWrap(!isWrapped)}
  />
)

const wrapPreference = createPreference('wrap', ['auto', 'on', 'off'], 'auto')

/** Windows in which lines are wrapped unless the reader chose otherwise. */
const NARROW = '(max-width: 48rem)'

/** Tracks whether lines are wrapped: as chosen, else where they would leave the view. */
export function useWrap(
  format: Format,
  text: string,
): [isWrapped: boolean, setWrapped: (isWrapped: boolean) => void] {
  const [chosen, choose] = usePreference(wrapPreference)
  const isNeeded = useMemo(
    () => format.is === 'text' || matchMedia(NARROW).matches || hasLongLine(text),
    [format, text],
  )
  return [chosen === 'auto' ? isNeeded : chosen === 'on', (isWrapped) => choose(isWrapped ? 'on' : 'off')]
}
