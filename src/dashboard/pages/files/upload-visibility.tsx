import { useKnownSettings } from '../../api/settings.ts'
import { Select } from '../../components/fields/select.tsx'
import { useStore } from '../../lib/store.ts'
import { browseTexts } from '../../texts/browse.ts'
import { uploadVisibility } from '../../uploads/visibility.ts'

const VALUES = ['private', 'public'] as const
const words = browseTexts.newFiles

/** Choice of the visibility of files to upload. */
export function UploadVisibility() {
  const chosen = useStore(uploadVisibility)
  const usual = useKnownSettings()?.defaultVisibility
  const options = [
    ...(usual ? [] : [{ value: '', label: words.unknown } as const]),
    ...VALUES.map((value) => ({ value, label: words.as[value] })),
  ]
  return (
    <Select
      label={words.label}
      className="upload-visibility"
      value={chosen ?? usual ?? ''}
      options={options}
      onChoose={(value) => uploadVisibility.set(() => (value === usual ? undefined : value || undefined))}
    />
  )
}
