import { sendBytes } from './body.ts'
import { Connection } from './connection.ts'
import type { HoldfastFile, NamedContent, TransferOptions } from './types.ts'

/**
 * Uploads a file by a signed link, from a page of any origin, without credentials.
 *
 * @param url Whole address, as `client.uploads.sign` returns it.
 * @throws {HoldfastError}
 */
export async function uploadTo(
  url: string,
  { name, content }: NamedContent,
  options: TransferOptions = {},
): Promise<HoldfastFile> {
  const end = url.lastIndexOf('/')
  const connection = new Connection({ url: url.slice(0, end), isAnonymous: true })
  const type = 'application/octet-stream'
  const put = { method: 'PUT', query: { name }, content, type, ...options } as const
  return (await sendBytes<{ file: HoldfastFile }>(connection, url.slice(end + 1), put)).file
}
