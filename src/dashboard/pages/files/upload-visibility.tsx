import { useDefaultVisibility } from '../../api/settings.ts'
import { Select } from '../../components/fields/select.tsx'
import { useStore } from '../../lib/store.ts'
import { browseTexts } from '../../texts/browse.ts'
import { texts } from '../../texts.ts'
import { uploadVisibility } from '../../uploads/visibility.ts'

const VALUES = ['private', 'public'] as const
const words = browseTexts.newFiles

/** Choice of the visibility of files to upload. */
export function UploadVisibility() {
  const chosen = useStore(uploadVisibility)
  const usual = useDefaultVisibility()
  const options = [
    { value: '', label: usual ? words.usual(texts.visibility[usual]) : words.unknown },
    ...VALUES.map((value) => ({ value, label: words.chosen(texts.visibility[value]) })),
  ] as const
  return (
    <Select
      label={words.label}
      className="upload-visibility"
      value={chosen ?? ''}
      options={options}
      onChoose={(value) => uploadVisibility.set(() => value || undefined)}
    />
  )
}
