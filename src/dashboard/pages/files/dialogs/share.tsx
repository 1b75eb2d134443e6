import { useState } from 'react'
import { kindOf } from '../../../../platform/kinds.ts'
import { createShare, type ShareFields } from '../../../api/shares.ts'
import { useFormMutation } from '../../../components/fields/form.tsx'
import { Segments } from '../../../components/fields/segments.tsx'
import { Dialog } from '../../../components/overlays/dialog.tsx'
import { formatItems } from '../../../lib/format.ts'
import { type Access, newRules } from '../../../shares/rules.ts'
import { ShareForm } from '../../../shares/share-form.tsx'
import { ShareLink } from '../../../shares/share-link.tsx'
import type { Shown } from '../../../shares/shown.ts'
import { shareTexts } from '../../../texts/shares.ts'
import { texts } from '../../../texts.ts'
import { countItems, type Item, isFile, isFolder } from '../items.ts'
import { DirectLinks } from './direct-links.tsx'

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
  const [start] = useState(() => newRules(access))
  const [first] = items.length === 1 ? items : []
  const file = first && isFile(first) ? first : undefined
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
          folderId={first && isFolder(first) ? first.id : undefined}
          mutation={create}
          onClose={onClose}
        />
      )}
    </Dialog>
  )
}

const itemOf = (item: Item) => (isFile(item) ? { fileId: item.id } : { folderId: item.id })

const shownOf = (item: Item): Shown => ({
  id: item.id,
  name: item.name,
  ...(isFile(item) ? { kind: kindOf(item), size: item.size } : { kind: 'folder' }),
})
