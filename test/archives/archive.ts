import { expect } from 'bun:test'
import { unzipSync } from 'fflate'
import type { Api } from '../support/api.ts'
import type { FileView } from '../support/holdfast.ts'

/** Returns requests for archives, and files to archive. */
export const archivesOf = (api: Api) => ({
  zipOf: (ids: string[]) => api.send('POST', '/files/download', { ids }),
  folderZip: (query = '') => api.send('GET', `/folders/download${query}`),
  /** Uploads files whose content names their key. */
  newFiles: async (keys: string[]): Promise<FileView[]> => {
    const files: FileView[] = []
    for (const key of keys) {
      const at = key.lastIndexOf('/')
      files.push(await api.upload(key.slice(at + 1), `content of ${key}`, key.slice(0, Math.max(at, 0))))
    }
    return files
  },
})

/** Returns the entries of an archive in order: a path and its text, null for a directory. */
export async function contentsOf(response: Response): Promise<[string, string | null][]> {
  const bytes = new Uint8Array(await response.arrayBuffer())
  expect(response.status).toBe(200)
  expect(response.headers.get('content-length')).toBe(String(bytes.length))
  return Object.entries(unzipSync(bytes)).map(([path, content]) => [
    path,
    path.endsWith('/') ? null : Buffer.from(content).toString(),
  ])
}

export const pathsOf = async (response: Response) => (await contentsOf(response)).map(([path]) => path)
