import type { Right } from '../../../client/index.ts'
import { LEVELS, type Level, levelOf, rightsOf } from '../../lib/levels.ts'
import { rightsTexts } from '../../texts/rights.ts'
import { CheckField } from './field.tsx'
import { Select } from './select.tsx'

const optionOf = (value: Level) => ({ value, label: rightsTexts.levels[value] })
const OPTIONS = LEVELS.map(optionOf)

interface RightsFieldsProps {
  /** Name of the account or folder, for screen readers. */
  of: string
  rights: readonly Right[]
  onChange: (rights: Right[]) => void
}

/** Level of the rights in a folder, and the right to share outside. */
export function RightsFields({ of, rights, onChange }: RightsFieldsProps) {
  const mayShare = rights.includes('share')
  const level = levelOf(rights)
  return (
    <div className="rights-fields row wrap gap-3">
      <Select
        label={rightsTexts.levelOf(of)}
        value={level}
        options={level === 'clear' ? [...OPTIONS, optionOf(level)] : OPTIONS}
        onChoose={(chosen) => onChange(rightsOf(chosen, mayShare))}
      />
      <CheckField
        label={rightsTexts.share}
        aria-label={rightsTexts.shareOf(of)}
        checked={mayShare}
        onChange={({ target }) => onChange(rightsOf(level, target.checked))}
      />
    </div>
  )
}
