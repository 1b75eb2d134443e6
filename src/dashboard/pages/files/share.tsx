import { useState } from 'react'
import { signLink } from '../../api/files.ts'
import { Button } from '../../components/button.tsx'
import { CopyField } from '../../components/copy-field.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { SelectField } from '../../components/field.tsx'
import { useFormMutation } from '../../components/form.tsx'
import { FormError } from '../../components/notice.tsx'
import { formatDuration, formatMoment, parseTime } from '../../lib/format.ts'
import { texts } from '../../texts.ts'
import { type FileItem, linkTo } from './items.ts'

/** Seconds that a link may live; the server shortens what is longer than it allows. */
const LIFETIMES = ['900', '3600', '86400', '259200', '604800', '2592000'] as const
type Lifetime = (typeof LIFETIMES)[number]

const LIFETIME_OPTIONS = LIFETIMES.map((value) => ({ value, label: formatDuration(Number(value)) }))

/** Links to a file: the plain one, and signed ones that end. */
export function Share({ file, onClose }: { file: FileItem; onClose: () => void }) {
  return (
    <Dialog title={texts.files.shareTitle(file.name)} onClose={onClose}>
      <section className="share-section">
        <h3>{texts.files.plainLink}</h3>
        <p>{texts.files.plainLinkIs[file.visibility]}</p>
        <CopyField label={texts.files.plainLink} text={linkTo(file)} />
      </section>
      <SignedLink file={file} />
    </Dialog>
  )
}

function SignedLink({ file }: { file: FileItem }) {
  const [lifetime, setLifetime] = useState<Lifetime>('86400')
  const sign = useFormMutation({ mutationFn: (seconds: number) => signLink(file.id, seconds) })
  return (
    <section className="share-section">
      <h3>{texts.files.signedLink}</h3>
      <p>{texts.files.signedLinkText}</p>
      <div className="share-make">
        <SelectField
          label={texts.files.lifetime}
          value={lifetime}
          options={LIFETIME_OPTIONS}
          onChoose={setLifetime}
        />
        <Button look="primary" isBusy={sign.isPending} onClick={() => sign.mutate(Number(lifetime))}>
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
