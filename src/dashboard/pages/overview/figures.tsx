import type { FileStats, UserStats } from '../../api/stats.ts'
import { formatBytes, formatCount } from '../../lib/format.ts'
import { overviewTexts } from '../../texts/overview.ts'
import { texts } from '../../texts.ts'

interface FiguresProps {
  files: FileStats | null
  users: UserStats | null
}

/** Key figures of the instance. */
export function Figures({ files, users }: FiguresProps) {
  const { figures } = overviewTexts
  if (!files && !users) return null
  return (
    <dl className="figures">
      {files && (
        <>
          <Figure
            name={figures.files}
            value={files.total.toLocaleString()}
            note={figures.inFolders(formatCount(files.folders - 1, texts.nouns.folder))}
          />
          <Figure
            name={figures.stored}
            value={formatBytes(files.storage.used)}
            note={figures.left(formatBytes(files.storage.available))}
          />
          <Figure
            name={figures.public}
            value={files.visibility.public.count.toLocaleString()}
            note={figures.private(files.visibility.private.count.toLocaleString())}
          />
        </>
      )}
      {users && (
        <Figure
          name={figures.accounts}
          value={users.total.toLocaleString()}
          note={[
            figures.devices(formatCount(users.sessions, texts.nouns.device)),
            ...(users.disabled > 0 ? [figures.disabled(users.disabled.toLocaleString())] : []),
          ].join(', ')}
        />
      )}
    </dl>
  )
}

const Figure = ({ name, value, note }: { name: string; value: string; note: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <strong>{value}</strong>
      <small>{note}</small>
    </dd>
  </div>
)
