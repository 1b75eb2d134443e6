import type { FileRow } from '../../store/rows.ts'
import { FILE_TRAFFIC_DAYS } from '../../store/rows.ts'
import type { Located } from '../../store/tree.ts'
import { viewAt } from '../../views/files.ts'
import { everyDay, lastDays } from '../../views/times.ts'
import type { FilesContext } from './context.ts'
import type { FileDetails } from './model.ts'

/** Returns a file with the details that lists leave out: its checksum, its uploader and its traffic. */
export async function readDetails(deps: FilesContext, file: Located<FileRow>): Promise<FileDetails> {
  const { id, sha256, uploadedBy } = file.row
  await deps.traffic.flush()
  const { from, dates } = lastDays(deps, FILE_TRAFFIC_DAYS)
  const counted = await deps.store.traffic.fileDaysSince(id, from)
  const days = everyDay(dates, counted, { requests: 0, bytes: 0 })
  const sum = (count: 'requests' | 'bytes') => days.reduce((total, day) => total + day[count], 0)
  return {
    file: viewAt(file),
    sha256,
    uploadedBy: uploadedBy === null ? null : await readUploader(deps, uploadedBy),
    traffic: { requests: sum('requests'), bytes: sum('bytes'), days },
  }
}

async function readUploader({ store }: FilesContext, id: string): Promise<FileDetails['uploadedBy']> {
  const user = await store.users.byId(id)
  return { id, name: user?.name ?? null }
}
