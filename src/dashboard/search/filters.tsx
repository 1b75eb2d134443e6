import { lastSegment } from '../lib/keys.ts'
import { KINDS } from '../lib/kinds.ts'
import { withMarks } from '../lib/marks.ts'
import { searchTexts } from '../texts/search.ts'
import { texts } from '../texts.ts'
import type { SearchFilter } from './find.ts'

interface FiltersProps {
  filter: SearchFilter
  /** Object key of the folder from which the search began. */
  folder: string | undefined
  onChange: (change: Partial<SearchFilter>) => void
}

const KIND_OPTIONS = [
  { value: '', label: texts.kinds.all },
  { value: 'folder', label: searchTexts.folders },
  ...KINDS.map((value) => ({ value, label: texts.kinds[value] })),
] as const

const VISIBILITY_OPTIONS = [
  { value: '', label: searchTexts.anyVisibility },
  { value: 'public', label: texts.visibility.public },
  { value: 'private', label: texts.visibility.private },
] as const

/** Choice of type, visibility and place. */
export const Filters = ({ filter, folder, onChange }: FiltersProps) => (
  <div className="palette-filters">
    <Choice
      label={searchTexts.kind}
      value={filter.kind ?? ''}
      options={KIND_OPTIONS}
      onChoose={(kind) => onChange({ kind: kind === '' ? undefined : kind })}
    />
    <Choice
      label={searchTexts.visibility}
      value={filter.visibility ?? ''}
      options={VISIBILITY_OPTIONS}
      onChoose={(visibility) => onChange({ visibility: visibility === '' ? undefined : visibility })}
    />
    {folder && (
      <Choice
        label={searchTexts.place}
        value={filter.within ?? ''}
        options={[
          { value: '', label: searchTexts.everywhere },
          { value: folder, label: searchTexts.within(withMarks(lastSegment(folder))) },
        ]}
        onChoose={(within) => onChange({ within: within || undefined })}
      />
    )}
  </div>
)

interface ChoiceProps<Value extends string> {
  label: string
  value: Value
  options: readonly { value: Value; label: string }[]
  onChoose: (value: Value) => void
}

function Choice<Value extends string>({ label, value, options, onChoose }: ChoiceProps<Value>) {
  return (
    <select
      className="input"
      aria-label={label}
      value={value}
      onChange={({ target }) => {
        const chosen = options.find((option) => option.value === target.value)
        if (chosen) onChoose(chosen.value)
      }}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  )
}
