import { useState } from 'react'
import { signLink, useLinkLifetimes } from '../../../api/files.ts'
import { useFileSettings } from '../../../api/instance.ts'
import { createShare, type ShareFields } from '../../../api/shares.ts'
import { Button } from '../../../components/fields/button.tsx'
import { CopyField } from '../../../components/fields/copy-field.tsx'
import { SelectField } from '../../../components/fields/field.tsx'
import { useFormMutation } from '../../../components/fields/form.tsx'
import { Segments } from '../../../components/fields/select.tsx'
import { FormError } from '../../../components/notice.tsx'
import { Dialog } from '../../../components/overlays/dialog.tsx'
import { formatDuration, formatItems, formatMoment, parseTime } from '../../../lib/format.ts'
import { linkTo } from '../../../lib/paths.ts'
import { type Access, newRules, type Shown, shownFile } from '../../../shares/rules.ts'
import { ShareForm } from '../../../shares/share-form.tsx'
import { ShareLink } from '../../../shares/share-link.tsx'
import { dialogTexts } from '../../../texts/dialogs.ts'
import { shareTexts } from '../../../texts/shares.ts'
import { texts } from '../../../texts.ts'
import { countItems, type FileItem, type Item, isFile, isFolder } from '../items.ts'
import { useItemRights } from '../rights.ts'

interface ShareProps {
  items: Item[]
  /** Rights of visitors that the form begins with. */
  access: Access | undefined
  onClose: () => void
}

type Way = 'share' | 'direct'
const WAYS = (['share', 'direct'] as const).map((value) => ({ value, label: shareTexts.ways[value] }))

/** Dialog that shares files and folders with visitors, or shows the links of a single file. */
export default function Share({ items, access = 'read', onClose }: ShareProps) {
  const [way, setWay] = useState<Way>('share')
  const days = useFileSettings().data?.shareDays
  const [start] = useState(() => newRules(access, days))
  const [first] = items.length === 1 ? items : []
  const file = first && isFile(first) ? first : undefined
  const { mayReceive } = useItemRights(items)
  const create = useFormMutation({
    mutationFn: (fields: ShareFields) => createShare({ ...fields, items: items.map(itemOf) }),
  })
  if (create.data) return <ShareLink title={shareTexts.ready} share={create.data} onClose={onClose} />
  const titleOf = access === 'write' ? shareTexts.requestTitle : shareTexts.titleOf
  const what = first ? texts.files.quoted(first.name) : formatItems(countItems(items))
  return (
    <Dialog title={titleOf(what)} onClose={onClose}>
      {file && <Segments label={shareTexts.way} value={way} options={WAYS} onChoose={setWay} />}
      {file && way === 'direct' ? (
        <DirectLinks file={file} />
      ) : (
        <ShareForm
          start={start}
          items={items.map(shownOf)}
          folderId={first && isFolder(first) && mayReceive ? first.id : undefined}
          mutation={create}
          onClose={onClose}
        />
      )}
    </Dialog>
  )
}

const itemOf = (item: Item) => (isFile(item) ? { fileId: item.id } : { folderId: item.id })

const shownOf = (item: Item): Shown =>
  isFile(item) ? shownFile(item) : { id: item.id, name: item.name, kind: 'folder' }

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
    <section className="share-section stack gap-2">
      <h3>{dialogTexts.plainLink}</h3>
      <p className="note">{dialogTexts.plainLinkIs[file.visibility]}</p>
      <CopyField label={dialogTexts.plainLink} text={linkTo(file)} />
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
    <section className="share-section stack gap-2">
      <h3>{dialogTexts.signedLink}</h3>
      <p className="note">{dialogTexts.signedLinkText}</p>
      <div className="share-make row bottom">
        <SelectField
          label={dialogTexts.lifetime}
          value={String(lifetime)}
          options={lifetimes.map((seconds) => ({ value: String(seconds), label: formatDuration(seconds) }))}
          onChoose={(value) => setChosen(Number(value))}
        />
        <Button look="primary" isBusy={sign.isPending} onClick={() => sign.mutate(lifetime)}>
          {dialogTexts.makeLink}
        </Button>
      </div>
      <FormError error={sign.error} />
      {sign.data && (
        <div aria-live="polite">
          <CopyField label={dialogTexts.signedLink} text={linkTo(sign.data)} />
          <p className="field-hint">{expiryText(sign.data.expiresAt)}</p>
        </div>
      )}
    </section>
  )
}

const expiryText = (expiresAt: string) =>
  dialogTexts.expires(
    formatMoment(expiresAt),
    formatDuration((parseTime(expiresAt).getTime() - Date.now()) / 1000),
  )
