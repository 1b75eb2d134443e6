import { describe, expect, test } from 'bun:test'
import type { FolderView } from '../support/api.ts'
import { withInside } from '../support/fixture.ts'
import type { FileView } from '../support/holdfast.ts'
import { storedIn } from '../support/stored.ts'

/** Rounds of each pair: a lost update shows within a few of them. */
const ROUNDS = 8

const holdfast = withInside()
const { api, bySession: admin } = holdfast

/** Folder with one public file, new for each round. */
interface Place {
  folder: FolderView
  other: FolderView
  file: FileView
}

let rounds = 0
async function newPlace(): Promise<Place> {
  rounds += 1
  const folder = await api.createFolder(`place ${rounds}`)
  const other = await api.createFolder(`place ${rounds}/other`)
  return { folder, other, file: await api.upload('file', 'content', folder.key) }
}

type Change = (place: Place) => [method: string, path: string, body: unknown, sender?: 'admin']

const MOVE = ['POST', '/files/move'] as const

const CHANGES = {
  'rename the file': ({ file }) => ['PUT', '/files', { id: file.id, name: 'renamed' }],
  'rename the file to its own name': ({ file }) => ['PUT', '/files', { id: file.id, name: 'file' }],
  'make the file private': ({ file }) => ['PUT', '/files', { id: file.id, visibility: 'private' }],
  'move the file': ({ file, other }) => [...MOVE, { id: file.id, folderId: other.id }],
  'move the file in a batch': ({ file: { id }, other }) => [...MOVE, { ids: [id], folderId: other.id }],
  'rename the folder': ({ folder }) => ['PUT', '/folders', { id: folder.id, name: `${folder.name} renamed` }],
  'make the folder private': ({ folder }) => ['PUT', '/folders', { id: folder.id, visibility: 'private' }],
  'make everything private': () => ['POST', '/settings/apply-visibility', { visibility: 'private' }, 'admin'],
} satisfies Record<string, Change>

type Name = keyof typeof CHANGES

/** Makes both changes at the same time; in some rounds the first starts a moment later. All must succeed. */
async function race(names: readonly [Name, Name], place: Place, round: number): Promise<void> {
  const send = async (name: Name, delay: number) => {
    const change: Change = CHANGES[name]
    const [method, path, body, sender] = change(place)
    for (let turn = 0; turn < delay; turn += 1) await new Promise(setImmediate)
    const response = await (sender === 'admin' ? admin : api).send(method, path, body)
    expect([name, response.status]).toEqual([name, 200])
  }
  await Promise.all([send(names[0], round % 4), send(names[1], 0)])
}

const PAIRS: [Name, Name, expected: Partial<FileView>][] = [
  ['make the folder private', 'rename the file', { visibility: 'private', name: 'renamed' }],
  ['make the folder private', 'rename the file to its own name', { visibility: 'private', name: 'file' }],
  ['make the folder private', 'move the file', { visibility: 'private' }],
  ['make the folder private', 'move the file in a batch', { visibility: 'private' }],
  ['make the folder private', 'rename the folder', { visibility: 'private' }],
  ['make everything private', 'rename the file', { visibility: 'private', name: 'renamed' }],
  ['make everything private', 'rename the file to its own name', { visibility: 'private', name: 'file' }],
  ['make everything private', 'move the file', { visibility: 'private' }],
  ['make everything private', 'rename the folder', { visibility: 'private' }],
  ['make the file private', 'rename the file', { visibility: 'private', name: 'renamed' }],
  ['make the file private', 'move the file', { visibility: 'private' }],
  ['rename the file', 'move the file', { visibility: 'public', name: 'renamed' }],
  ['rename the file', 'rename the folder', { visibility: 'public', name: 'renamed' }],
  ['move the file', 'rename the folder', { visibility: 'public', name: 'file' }],
]

describe.each(PAIRS)('%s, and at the same time %s', (one, two, expected) => {
  test('both apply afterwards', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const place = await newPlace()

      await race([one, two], place, round)

      const file = await api.file(place.file.id)
      const folder = (await api.browse()).folders.find(({ id }) => id === place.folder.id)
      const renamed = [one, two].includes('rename the folder')
      const moved = [one, two].some((name) => name.startsWith('move the file'))
      expect(folder?.name).toBe(renamed ? `${place.folder.name} renamed` : place.folder.name)
      expect(file).toMatchObject(expected)
      expect(file.key).toBe(`${folder?.name}/${moved ? 'other/' : ''}${file.name}`)
      expect(await api.hosted(file.key)).toBe(file.visibility === 'public' ? 'content' : 404)
      expect(await storedIn(holdfast).keys()).toContain(file.key)
    }
  })
})
