import type { Api } from '../support/api.ts'
import type { Registered } from '../support/fixture.ts'
import type { Inside } from '../support/holdfast.ts'
import { begin } from '../uploads/tus.ts'

type Server = Pick<Registered<Inside>, 'api' | 'trash' | 'fetch'>

/** Word in the names of everything that no guest may see. */
export const MARK = 'xqz'

/** File or folder, with its key. */
interface Item {
  id: string
  key: string
}

/** Things of one place, or ones that do not exist, that requests of the matrix name. */
export interface Place {
  file: () => Promise<Item>
  folder: () => Promise<Item>
  /** Returns the id of an earlier version of a file. */
  version: () => Promise<string>
  /** Returns the id of an item in the trash. */
  trashed: () => Promise<string>
  /** Returns the id of an unfinished upload. */
  upload: () => Promise<string>
  /** Returns the id of a share. */
  share: () => Promise<string>
  /** Returns the id of a website. */
  site: () => Promise<string>
}

/** Returns a place with something new for each request, so that nothing of it is used up. */
export function placeIn(
  holdfast: Server,
  folder: string,
  { prefix = 'item', owner = holdfast.api }: { prefix?: string; owner?: Api } = {},
): Place {
  const { api, trash } = holdfast
  const next = () => `${prefix}-${Bun.randomUUIDv7().slice(-12)}`
  const file = async () => {
    const name = `${next()}.txt`
    const { id, key } = await api.upload(name, `text ${prefix}`, folder, 'private')
    return { id, key }
  }
  const newFolder = async () => {
    const key = [folder, next()].filter(Boolean).join('/')
    const { id } = await api.createFolder(key)
    await api.upload(`${prefix}.txt`, `text ${prefix}`, key, 'private')
    return { id, key }
  }
  return {
    file,
    folder: newFolder,
    version: async () => {
      const { id } = await file()
      await api.replace(id, 'changed')
      const { versions } = await api.data<{ versions: { id: string }[] }>('GET', `/files/versions?id=${id}`)
      return versions[0]?.id ?? ''
    },
    trashed: async () => {
      const { id } = await file()
      await trash.put({ fileIds: [id] })
      return id
    },
    upload: async () => {
      const fields = { name: `${next()}.txt`, folder, visibility: 'private' }
      const path = await begin(holdfast, owner.headers, { length: 4, fields })
      return path.split('/').at(-1) ?? ''
    },
    share: async () => {
      const { id: fileId } = await file()
      const { share } = await owner.data<{ share: { id: string } }>('POST', '/shares', {
        items: [{ fileId }],
        title: prefix,
      })
      return share.id
    },
    site: async () => {
      const { id: folderId } = await newFolder()
      const { site } = await api.data<{ site: { id: string } }>('POST', '/sites', { folderId, name: next() })
      return site.id
    },
  }
}

/** Returns a place that reports the ids and keys that it gives. */
export function recorded(place: Place): { place: Place; given: string[] } {
  const given: string[] = []
  const item = (make: () => Promise<Item>) => async () => {
    const made = await make()
    given.push(made.id, made.key)
    return made
  }
  const id = (make: () => Promise<string>) => async () => {
    const made = await make()
    given.push(made)
    return made
  }
  return { place: eachOf(place, item, id), given }
}

type Each = <Value>(make: () => Promise<Value>) => () => Promise<Value>

const eachOf = (
  place: Place,
  item: (make: () => Promise<Item>) => () => Promise<Item>,
  id: (make: () => Promise<string>) => () => Promise<string>,
): Place => ({
  file: item(place.file),
  folder: item(place.folder),
  version: id(place.version),
  trashed: id(place.trashed),
  upload: id(place.upload),
  share: id(place.share),
  site: id(place.site),
})

/** Returns a place whose things are made once. */
export function fixed(place: Place): Place {
  const once: Each = (make) => {
    let made: ReturnType<typeof make> | undefined
    return () => (made ??= make())
  }
  return eachOf(place, once, once)
}

const missing = () => Promise.resolve(Bun.randomUUIDv7())
const missingAt = async (key: string): Promise<Item> => ({ id: await missing(), key })

/** Place of what does not exist. */
export const NOWHERE: Place = {
  file: () => missingAt('none/none.txt'),
  folder: () => missingAt('none/none'),
  version: missing,
  trashed: missing,
  upload: missing,
  share: missing,
  site: missing,
}
