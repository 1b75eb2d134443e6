import { useState } from 'react'
import { signLink, useLinkLifetimes } from '../../../api/files.ts'
import { Button } from '../../../components/fields/button.tsx'
import { CopyField } from '../../../components/fields/copy-field.tsx'
import { SelectField } from '../../../components/fields/field.tsx'
import { useFormMutation } from '../../../components/fields/form.tsx'
import { FormError } from '../../../components/notice.tsx'
import { formatDuration, formatMoment, parseTime } from '../../../lib/format.ts'
import { linkTo } from '../../../lib/paths.ts'
import { texts } from '../../../texts.ts'
import type { FileItem } from '../items.ts'

/** Lifetimes of links in seconds. */
const LIFETIMES = [900, 3600, 86_400, 259_200, 604_800, 2_592_000]
const USUAL_LIFETIME = 86_400

/** Returns the lifetimes up to an instance's maximum, including it. */
const lifetimesWithin = (most: number) => [
  ...LIFETIMES.filter((seconds) => seconds < most),
  Math.min(most, Math.max(...LIFETIMES)),
]

/** Links to the bytes of a file: the permanent one, and signed ones that expire. */
export const DirectLinks = ({ file }: { file: FileItem }) => (
  <div className="stack direct-links">
    <section className="share-section">
      <h3>{texts.files.plainLink}</h3>
      <p>{texts.files.plainLinkIs[file.visibility]}</p>
      <CopyField label={texts.files.plainLink} text={linkTo(file)} />
    </section>
    <SignedLink file={file} />
  </div>
)

function SignedLink({ file }: { file: FileItem }) {
  const { data } = useLinkLifetimes()
  const [chosen, setChosen] = useState(USUAL_LIFETIME)
  const lifetimes = lifetimesWithin(data?.maxExpiresIn ?? USUAL_LIFETIME)
  const lifetime = Math.min(chosen, Math.max(...lifetimes))
  const sign = useFormMutation({ mutationFn: (seconds: number) => signLink(file.id, seconds) })
  return (
    <section className="share-section">
      <h3>{texts.files.signedLink}</h3>
      <p>{texts.files.signedLinkText}</p>
      <div className="share-make">
        <SelectField
          label={texts.files.lifetime}
          value={String(lifetime)}
          options={lifetimes.map((seconds) => ({ value: String(seconds), label: formatDuration(seconds) }))}
          onChoose={(value) => setChosen(Number(value))}
        />
        <Button look="primary" isBusy={sign.isPending} onClick={() => sign.mutate(lifetime)}>
          {texts.files.makeLink}
        </Button>
      </div>
      <FormError error={sign.error} />
      {sign.data && (
        <div aria-live="polite">
          <CopyField label={texts.files.signedLink} text={linkTo(sign.data)} />
          <p className="field-hint">{expiryText(sign.data.expiresAt)}</p>
        </div>
      )}
    </section>
  )
}

const expiryText = (expiresAt: string) =>
  texts.files.expires(
    formatMoment(expiresAt),
    formatDuration((parseTime(expiresAt).getTime() - Date.now()) / 1000),
  )
