import type { FileRow } from '../../store/rows.ts'
import { FILE_TRAFFIC_DAYS } from '../../store/rows.ts'
import { everyDay } from '../stats/days.ts'
import type { FilesContext } from './context.ts'
import type { FileDetails } from './model.ts'
import { viewFile } from './service.ts'

/** Returns a file with the details that lists leave out: its checksum and its traffic. */
export async function readDetails(deps: FilesContext, file: FileRow): Promise<FileDetails> {
  await deps.traffic.flush()
  const ofFile = (from: string) => deps.store.traffic.fileDaysSince(file.id, from)
  const days = everyDay(deps, FILE_TRAFFIC_DAYS, ofFile, { requests: 0, bytes: 0 })
  const sum = (count: 'requests' | 'bytes') => days.reduce((total, day) => total + day[count], 0)
  return {
    file: viewFile(deps, file),
    sha256: file.sha256,
    traffic: { requests: sum('requests'), bytes: sum('bytes'), days },
  }
}
