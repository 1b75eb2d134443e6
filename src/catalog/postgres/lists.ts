import type { Engine } from '../engine.ts'
import type { FileRow } from '../files.ts'
import { type FileList, listQueries, listTexts } from '../lists.ts'
import type { PostgresSnapshot } from './readers.ts'

/** Queries of file lists, those of a snapshot with waits for the server. */
export function postgresLists(engine: Engine) {
  const texts = listTexts(engine)
  return {
    page: listQueries(engine).page,

    /** Yields a list of any length in time slices. */
    rows(snapshot: PostgresSnapshot, list: FileList): AsyncGenerator<FileRow[], void> {
      const { text, params } = texts.ofList(list)
      return snapshot.rows(text, params)
    },

    /** Returns a list at once, as it is in a snapshot; it must be known to be short. */
    pageOf(snapshot: PostgresSnapshot, list: FileList): Promise<FileRow[]> {
      const { text, params } = texts.ofList(list)
      return snapshot.all(text, params)
    },

    /** Yields some columns of the files directly in some folders, by name, in time slices. */
    inFolders<Asked extends keyof FileRow>(
      snapshot: PostgresSnapshot,
      columns: readonly Asked[],
    ): (folderId: string) => AsyncGenerator<Pick<FileRow, Asked>[], void> {
      const textFor = texts.inFolders(columns)
      return (folderId) => {
        const { text, params } = textFor(folderId)
        return snapshot.rows(text, params)
      }
    },
  }
}
