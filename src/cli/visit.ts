import { type Ask, Connection } from '../client/connection.ts'
import { dataIn } from '../client/error.ts'
import type { Visit } from '../client/index.ts'
import { problemOf } from '../platform/listing.ts'
import { Failure } from './failure.ts'
import { asId, type Fetched } from './fetched.ts'
import { askForSecret } from './login.ts'
import type { Remote } from './remote.ts'

/** Address of a share: its server and its slug. */
const LINK = /^(https?:\/\/.+)\/s\/([^/?#]+)\/?(?:[?#].*)?$/

export const isShareLink = (text: string) => LINK.test(text)

/**
 * Opens a share as a visitor, and returns its only file, or all of it as a ZIP archive.
 *
 * @throws {Failure} when the share cannot be read.
 */
export async function visit({ terminal }: Remote, link: string): Promise<Fetched> {
  const [, url = '', slug = ''] = LINK.exec(link) ?? []
  const connection = new Connection({ url })
  const path = `api/s/${slug}`
  let cookie = ''
  /** Sends a request with the visitor's cookie, which the password and the first download set. */
  const send = async (below: string, ask: Ask = {}): Promise<Response> => {
    const headers = { ...ask.headers, ...(cookie !== '' && { Cookie: cookie }) }
    const response = await connection.download(path + below, { ...ask, headers })
    cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie
    return response
  }
  const look = async () => dataIn<Visit>(await connection.textOf(await send('')), connection.url)
  let share = await look()
  if (share.needsPassword) {
    const password = await askForSecret(terminal, {
      message: 'Password of the share',
      canceled: 'Nothing was downloaded',
    })
    if (password === '') throw new Failure('The share has a password, which can be sent as standard input')
    await send('/open', { method: 'POST', json: { password } })
    share = await look()
  }
  if (!share.canRead) throw new Failure('This share only receives files')
  const [file] = share.files
  const isOne = file && share.files.length === 1 && share.folders.length === 0
  const id = isOne ? asId(file.id) : slug
  const below = isOne ? `/files/${id}` : '/archive'
  return {
    ...{ url: connection.url, id },
    ...(isOne ? { name: safeName(file.name, slug), isForeign: true } : { name: `${slug}.zip` }),
    fetch: (beginning) =>
      send(
        below,
        beginning && { headers: { Range: `bytes=${beginning.from}-`, 'If-Range': beginning.ifRange } },
      ),
  }
}

/** Returns a name from a server if it is harmless as a new local file. */
const safeName = (name: string, otherwise: string) =>
  problemOf(name) === undefined && !name.startsWith('.') ? name : otherwise
