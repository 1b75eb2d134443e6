import { useDefaultVisibility } from '../../api/settings.ts'
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
  return (
    <select
      className="input upload-visibility"
      aria-label={words.label}
      title={words.label}
      value={chosen ?? ''}
      onChange={({ target }) => uploadVisibility.set(() => VALUES.find((value) => value === target.value))}
    >
      <option value="">{usual ? words.usual(texts.visibility[usual]) : words.unknown}</option>
      {VALUES.map((value) => (
        <option key={value} value={value}>
          {words.chosen(texts.visibility[value])}
        </option>
      ))}
    </select>
  )
}
