import { useMutation } from '@tanstack/react-query'
import { Download, Shredder, Undo2 } from 'lucide-react'
import { useState } from 'react'
import {
  deleteVersion,
  restoreVersion,
  useVersions,
  type Version,
  versionAddress,
} from '../../../api/files.ts'
import { IconButton } from '../../../components/fields/button.tsx'
import { Failure } from '../../../components/notice.tsx'
import { ConfirmChange } from '../../../components/overlays/confirm.tsx'
import { toast } from '../../../components/overlays/toast.tsx'
import { formatBytes, formatDistance, formatMoment } from '../../../lib/format.ts'
import { dialogTexts } from '../../../texts/dialogs.ts'
import type { FileItem } from '../items.ts'
import { useItemRights } from '../rights.ts'

const words = dialogTexts.versions

/** Earlier versions of a file, if there are any. */
export function Versions({ file }: { file: FileItem }) {
  const { data, error, refetch } = useVersions(file.id)
  const [deleting, setDeleting] = useState<Version>()
  if (error) return <Failure error={error} onRetry={refetch} />
  if (!data || data.length === 0) return null
  return (
    <section className="stack gap-2 own-width small">
      <h3>{words.title}</h3>
      <ul className="versions full">
        {data.map((version) => (
          <VersionRow key={version.id} file={file} version={version} onDelete={() => setDeleting(version)} />
        ))}
      </ul>
      {deleting && (
        <ConfirmChange
          title={words.deleteTitle}
          action={words.delete}
          change={() => deleteVersion(deleting.id)}
          done={words.deleted}
          onClose={() => setDeleting(undefined)}
        >
          {words.deleteText(formatMoment(deleting.writtenAt))}
        </ConfirmChange>
      )}
    </section>
  )
}

interface VersionRowProps {
  file: FileItem
  version: Version
  onDelete: () => void
}

function VersionRow({ file, version, onDelete }: VersionRowProps) {
  const { mayWrite, mayDelete } = useItemRights([file])
  const restore = useMutation({
    mutationFn: () => restoreVersion(version.id),
    onSuccess: () => toast.done(words.restored(when)),
  })
  const when = formatMoment(version.writtenAt)
  return (
    <li className="row gap-0">
      <span className="stack gap-0 grow tight">
        {when}
        <small title={formatMoment(version.replacedAt)}>
          {words.facts(formatBytes(version.size), formatDistance(version.replacedAt))}
        </small>
      </span>
      <a
        className="icon-button"
        href={versionAddress(version)}
        download
        title={words.download(when)}
        aria-label={words.download(when)}
      >
        <Download aria-hidden size={18} />
      </a>
      {mayWrite && (
        <IconButton
          icon={Undo2}
          label={words.restore(when)}
          disabled={restore.isPending}
          onClick={() => restore.mutate()}
        />
      )}
      {mayDelete && <IconButton icon={Shredder} label={words.deleteOf(when)} onClick={onDelete} />}
    </li>
  )
}
