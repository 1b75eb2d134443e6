import { beforeEach } from 'bun:test'
import type { FolderView } from '../support/api.ts'
import type { Registered } from '../support/fixture.ts'
import type { Holdfast } from '../support/holdfast.ts'
import { trashOf } from '../support/trash.ts'
import { buildArchive } from '../zip/build-archive.ts'

/** Returns requests for folders that replace each other. The trash is empty before each test. */
export function sitesOf({ api }: Registered<Holdfast>) {
  const trash = trashOf(api)
  beforeEach(() => trash.empty())
  return {
    trash,
    /** Stores a folder with these files. Returns its id. */
    make: async (folder: string, files: Record<string, string>): Promise<string> => {
      const entries = Object.entries(files).map(([path, content]) => ({ path, content }))
      const path = `/folders/import?folder=${encodeURIComponent(folder)}&visibility=public`
      const response = await api.sendBody('POST', path, buildArchive(entries))
      return ((await response.json()) as { data: { folder: FolderView } }).data.folder.id
    },
    replace: async (id: string, replaces: string) =>
      (await api.data<{ folder: FolderView }>('POST', '/folders/replace', { id, replaces })).folder,
  }
}
