import type { FolderView } from '../support/api.ts'
import { Chance } from '../support/chance.ts'
import type { FileView } from '../support/holdfast.ts'
import { anyOperation, Knowledge, type Teaching } from './client.ts'
import { type History, Recorder } from './history.ts'
import * as reads from './reads.ts'
import { Tree } from './tree.ts'
import type { World } from './world.ts'
import * as writes from './writes.ts'

const CLIENTS = 6
const OPERATIONS = 10
/** Files of a folder in a wide round: more than a time slice of a list or delete handles. */
const WIDE_FILES = 130

/** Runs concurrent clients with random operations on an empty server. @returns Their history. */
export async function playRound(world: World, seed: number): Promise<History> {
  const chance = new Chance(seed)
  const recorder = new Recorder()
  const known = new Knowledge()
  const perform = async (client: string, operation: Teaching) => {
    const answer = await recorder.record(client, operation, () => operation.send(world.send))
    known.learn(answer)
    operation.teach?.(answer)
  }
  const rootId = await clear(world)

  for (const operation of beginning(chance, known)) await perform('setup', operation)
  const writeShare = 20 + chance.below(6) * 10
  await Promise.all(
    Array.from({ length: CLIENTS }, async (_, index) => {
      const own = new Chance(seed * CLIENTS + index)
      for (let count = 0; count < OPERATIONS; count += 1)
        await perform(`c${index}`, anyOperation(own, known, writeShare))
    }),
  )
  for (const operation of [reads.list({}), reads.checksums({ key: '' }), reads.stats(), reads.settings()])
    await perform('end', operation)
  await known.endUploads(world)
  return { initial: Tree.empty(rootId), made: recorder.made }
}

function beginning(chance: Chance, known: Knowledge): Teaching[] {
  const content = () => known.newContent(chance)
  const wide = Object.fromEntries(
    Array.from({ length: WIDE_FILES }, (_, at) => [`n${String(at).padStart(3, '0')}`, content()]),
  )
  return [
    writes.upload('d', { a: content(), b: content() }),
    writes.upload('d/e', { a: content() }),
    writes.upload('e', { c: content() }, 'private'),
    ...(chance.below(3) === 0 ? [writes.importArchive('d/e', wide, 'public')] : []),
    // Reveals all ids.
    reads.list({}),
    reads.browse({ key: '' }),
    reads.browse({ key: 'd' }),
  ]
}

/** Deletes all files and folders. Returns the root's id. */
async function clear({ send }: World): Promise<string> {
  const call = (method: string, path: string, body: unknown) =>
    send(`/api${path}`, {
      method,
      body: JSON.stringify(body),
      as: path === '/settings' ? 'admin' : 'member',
    })
  const { data } = await send('/api/folders', {})
  const { files, folders } = data as { files: FileView[]; folders: FolderView[] }
  if (files.length > 0) await call('DELETE', '/files', { ids: files.map(({ id }) => id) })
  for (const { id } of folders) await call('DELETE', '/folders', { id })
  await call('PUT', '/settings', { defaultVisibility: 'public' })
  const made = (await call('POST', '/folders', { folder: 'x' })).data as { folder: FolderView }
  await call('DELETE', '/folders', { id: made.folder.id })
  const left = (await send('/api/folders', {})).data as { files: unknown[]; folders: unknown[] }
  if (left.files.length + left.folders.length > 0) throw new Error(`Not cleared: ${JSON.stringify(left)}`)
  return made.folder.parentId ?? ''
}
