import { KINDS } from '../../platform/kinds.ts'
import { useUsers } from '../api/accounts.ts'
import { useCan, useMe } from '../api/session.ts'
import { Select } from '../components/fields/select.tsx'
import { withMarks } from '../lib/format.ts'
import { lastSegment } from '../lib/paths.ts'
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

/** Choice of type, visibility, uploader and place. */
export const Filters = ({ filter, folder, onChange }: FiltersProps) => (
  <div className="palette-filters row wrap">
    <Select
      label={searchTexts.kind}
      value={filter.kind ?? ''}
      options={KIND_OPTIONS}
      onChoose={(kind) => onChange({ kind: kind === '' ? undefined : kind })}
    />
    <Select
      label={searchTexts.visibility}
      value={filter.visibility ?? ''}
      options={VISIBILITY_OPTIONS}
      onChoose={(visibility) => onChange({ visibility: visibility === '' ? undefined : visibility })}
    />
    <Uploader value={filter.uploader} onChoose={(uploader) => onChange({ uploader })} />
    {folder && (
      <Select
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

interface UploaderProps {
  value: string | undefined
  onChoose: (id: string | undefined) => void
}

/** Choice of an account. Only admins can list those of others. */
function Uploader({ value = '', onChoose }: UploaderProps) {
  const { user: me } = useMe()
  const { data: users = [] } = useUsers(useCan('users:manage'))
  const others = users.filter(({ id }) => id !== me.id)
  return (
    <Select
      label={searchTexts.uploader}
      value={value}
      options={[
        { value: '', label: searchTexts.anyone },
        { value: me.id, label: searchTexts.me },
        ...others.map(({ id, name }) => ({ value: id, label: searchTexts.by(withMarks(name)) })),
      ]}
      onChoose={(id) => onChoose(id || undefined)}
    />
  )
}
