import { hashKey } from '../../src/access/caller.ts'
import type { ActivityType } from '../../src/access/history.ts'
import type { Work } from '../../src/catalog/engine/query.ts'
import { mediaType } from '../../src/store/content.ts'
import { rowOfFile } from '../support/file-rows.ts'
import type { Inside } from '../support/holdfast.ts'

const DAY_MS = 86_400_000
const MB = 1024 ** 2

/** Content of folders: extension, number and usual size of the files. */
const FOLDERS: Record<string, [ending: string, count: number, size: number][]> = {
  Holidays: [
    ['jpg', 240, 4 * MB],
    ['png', 40, 2 * MB],
  ],
  Films: [['mp4', 9, 700 * MB]],
  Podcast: [['mp3', 64, 38 * MB]],
  Releases: [['zip', 30, 52 * MB]],
  Papers: [
    ['pdf', 80, 1.4 * MB],
    ['docx', 12, 0.2 * MB],
  ],
  site: [
    ['css', 6, 40_000],
    ['js', 14, 180_000],
    ['html', 22, 12_000],
  ],
}

const ENTRIES: [ActivityType, string | null, string | null][] = [
  ['upload.succeeded', '12 files', 'coast-001.jpg, coast-002.jpg, coast-003.jpg and 9 more'],
  ['file.deleted', 'old-logo.png', null],
  ['api-key.created', 'backup script', 'Never expires'],
  ['upload.failed', 'interview.mov', 'A file is larger than the maximum upload size of 5368709120 bytes'],
  ['upload.succeeded', 'release-1.4.0.zip', null],
  ['user.access-changed', 'grace@example.com', 'editor to custom'],
  ['upload.canceled', 'holiday.mp4', 'Canceled before it started'],
  ['folder.deleted', 'drafts', 'Papers/drafts'],
  ['user.created', 'linus@example.com', null],
  ['file.delete-failed', 'locked.pdf', 'File not found'],
]

/** Returns a generator of the same numbers each time. */
function createRandom(): () => number {
  let state = 7
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

/** Adds a month of use as rows without bytes, for pages that show statistics. */
export async function fillRichly(holdfast: Inside, userId: string): Promise<void> {
  await fillCalmly(holdfast, userId)
  await addHistory(holdfast, userId)
}

/** Adds a month of use without an entry of the history, so without failures. */
export async function fillCalmly(holdfast: Inside, userId: string): Promise<void> {
  const seeding = seedingOf(holdfast, userId)
  await seeding.store.transact(function* () {
    const fileIds = yield* addFiles(seeding)
    yield* addTraffic(seeding, fileIds)
    yield* addKeys(seeding)
    yield* addTrash(seeding)
  })
}

/** Adds a month of the history, with failures. */
export async function addHistory(holdfast: Inside, userId: string): Promise<void> {
  const seeding = seedingOf(holdfast, userId)
  await seeding.store.transact(() => addEntries(seeding))
}

const seedingOf = ({ server }: Inside, userId: string): Seeding => ({
  ...server.deps,
  userId,
  random: createRandom(),
  id: server.deps.random.id,
})

type Seeding = Pick<Inside['server']['deps'], 'store' | 'clock'> & {
  userId: string
  random: () => number
  id: () => string
}

const dayAt = ({ clock }: Seeding, ago: number) =>
  new Date(clock.now() - ago * DAY_MS).toISOString().slice(0, 10)

function* addFiles(seeding: Seeding): Work<string[]> {
  const { store, clock, random, id, userId } = seeding
  const fileIds: string[] = []
  const root = yield* store.folders.root()
  for (const [folder, kinds] of Object.entries(FOLDERS)) {
    const found = yield* store.folders.idAt([folder])
    const folderId = found ?? id()
    const now = clock.now()
    if (found === undefined)
      yield* store.folders.insert([
        { id: folderId, parentId: root, name: folder, madeForKeys: false, createdAt: now, updatedAt: now },
      ])
    for (const [ending, count, usual] of kinds)
      for (let n = 0; n < count; n += 1) {
        const name = `${folder.toLowerCase()}-${String(n + 1).padStart(3, '0')}.${ending}`
        const at = now - Math.floor(random() ** 2 * 45 * DAY_MS)
        const row = rowOfFile({
          id: id(),
          folderId,
          name,
          mimeType: mediaType(name),
          size: Math.round(usual * (0.4 + 1.4 * random())),
          crc32: 0,
          sha256: '0'.repeat(64),
          visibility: random() < 0.8 ? 'public' : 'private',
          uploadedBy: userId,
          createdAt: at,
          updatedAt: at,
        })
        yield* store.files.insert([row])
        fileIds.push(row.id)
      }
  }
  return fileIds
}

function* addTraffic(seeding: Seeding, fileIds: string[]): Work<void> {
  const { store, random } = seeding
  for (let ago = 0; ago < 30; ago += 1) {
    const day = dayAt(seeding, ago)
    const isWeekend = [0, 6].includes(new Date(day).getUTCDay())
    const requests = Math.round((isWeekend ? 900 : 2100) * (0.7 + 0.6 * random()) * (ago === 11 ? 2.4 : 1))
    const bytes = Math.round(requests * 1.6 * MB * (0.7 + 0.6 * random()))
    yield* store.traffic.addDay({ day, requests, bytes, notFound: Math.round(requests * 0.03 * random()) })
    for (const fileId of fileIds.filter((_, n) => n % 37 === 0)) {
      const count = Math.round(140 * random() ** 2)
      yield* store.traffic.addFiles([{ day, fileId, requests: count, bytes: count * 2 * MB }])
    }
  }
}

function* addKeys(seeding: Seeding): Work<void> {
  const { store, clock, random, id, userId } = seeding
  const now = clock.now()
  const names = ['website', 'backup script', 'phone', 'continuous integration', 'old laptop']
  for (const [index, name] of names.entries()) {
    const keyId = id()
    yield* store.keys.insert({
      id: keyId,
      userId,
      name,
      keyHash: hashKey(name),
      folderId: null,
      scopes: ['files:read', 'files:write'],
      createdAt: now - 60 * DAY_MS,
      usedAt: index === 4 ? null : now - index * 3_600_000,
      expiresAt: index === 3 ? now + 3 * DAY_MS : null,
    })
    if (index === 4) continue
    for (let ago = 0; ago < 7; ago += 1) {
      const count = Math.round((900 / (index * 2 + 1)) * (0.5 + random()))
      yield* store.apiRequests.add({ userId, day: dayAt(seeding, ago), keyId, count })
    }
  }
}

function* addEntries({ store, clock, random, id, userId }: Seeding): Work<void> {
  let at = clock.now() - 600_000
  for (let n = 0; n < 460; n += 1) {
    const [type, target, detail] = ENTRIES[n % ENTRIES.length] ?? ['upload.succeeded', null, null]
    yield* store.activities.insert({ id: id(), userId, type, target, detail, createdAt: at })
    at -= Math.floor(random() * 7_200_000)
  }
}

const TRASHED: [key: string, count: number, size: number, hoursAgo: number][] = [
  ['Holidays/2024/IMG_2041.jpg', 1, 4.2 * MB, 0.2],
  ['Holidays/2024 Summer in the mountains', 214, 1_240 * MB, 3],
  ['site/old-landing-page.html', 1, 12_400, 20],
  ['Papers/Invoice 2026-10 (draft, not sent).pdf', 1, 0.4 * MB, 49],
  ['Podcast/episode-041-raw-recording.mp3', 1, 86 * MB, 96],
  ['Films/holiday.mp4', 1, 1_900 * MB, 240],
  ['Releases/holdfast-0.9.0-rc.1-linux-x64.tar.gz', 1, 48 * MB, 400],
  ['notes.md', 1, 900, 640],
  ['Papers/Archive', 38, 61 * MB, 690],
]

const UNTOUCHED = { purging: false, replacedBy: null }

function* addTrash({ store, clock, id, userId }: Seeding): Work<void> {
  const parentId = yield* store.folders.root()
  for (const [key, count, size, hoursAgo] of TRASHED) {
    const kind = count === 1 ? ('file' as const) : ('folder' as const)
    const deletedAt = clock.now() - hoursAgo * 3_600_000
    const name = key.slice(key.lastIndexOf('/') + 1)
    const amount = { count, size: Math.round(size) }
    const item = { id: id(), kind, name, key, parentId, ...amount, deletedAt, deletedBy: userId }
    yield* store.trash.insert({ ...item, entry: `of ${key.replaceAll('/', ' ')}`, ...UNTOUCHED })
  }
}
