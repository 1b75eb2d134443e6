import { join } from 'node:path'
import { type HoldfastProcess, registerWith } from '../support/process.ts'
import { findTool, run } from './tools.ts'

export interface StoredFile {
  id: string
  key: string
}

export interface Client {
  /** Uploads a file from a process of its own, so that only the server's work is in the server. */
  upload: (path: string) => Promise<StoredFile>
  remove: (id: string) => Promise<void>
}

/** Registers an account and acts for it. */
export async function openClient(holdfast: HoldfastProcess, signal: AbortSignal): Promise<Client> {
  const { withKey } = await registerWith(holdfast)
  const url = `${holdfast.url}/api/files`
  return {
    upload: async (path) => {
      const answer = await run(uploadCommand({ url, key: withKey['API-Key'], path }), signal)
      const { data } = JSON.parse(answer) as { data: { files: StoredFile[] } | null }
      const [stored] = data?.files ?? []
      if (!stored) throw new Error(`The upload was refused: ${answer}`)
      return stored
    },
    remove: async (id) => {
      const headers = { ...withKey, 'Content-Type': 'application/json' }
      const body = JSON.stringify({ id })
      const answer = await holdfast.fetch('/api/files', { method: 'DELETE', headers, body })
      if (!answer.ok) throw new Error(`The file was not deleted: ${await answer.text()}`)
    },
  }
}

function uploadCommand({ url, key, path }: { url: string; key: string; path: string }): string[] {
  const curl = findTool('curl')
  if (!curl) return [process.execPath, join(import.meta.dir, 'send-file.ts'), url, key, path]
  // Without `Expect`: where nobody answers it, curl waits a second before it sends a body over 1 MiB.
  const headers = ['-H', `API-Key: ${key}`, '-H', 'Expect:']
  return [curl, '-sS', '--fail-with-body', ...headers, '-F', `files=@${path}`, url]
}
