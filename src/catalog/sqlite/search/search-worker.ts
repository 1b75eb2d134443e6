import { Database } from 'bun:sqlite'
import { Names } from './names.ts'
import type { SearchRequest, SearchResult } from './search-thread.ts'

/** Thread scope. This file runs as the other end of `SearchThread`; its argument is the database's path. */

declare const self: Worker

const [path = ''] = Bun.argv.slice(2)
const sqlite = new Database(path, { readonly: true, strict: true })
sqlite.run('PRAGMA cache_size = -4096')
let names: Names | undefined

function perform({ search, changed, release }: SearchRequest): SearchResult['page'] {
  if (release) {
    names = undefined
    sqlite.run('PRAGMA shrink_memory')
    Bun.gc(true)
    return undefined
  }
  const isNew = names === undefined
  names ??= new Names(sqlite)
  // New names have been read after all changes.
  if (search) return names.find(search, isNew ? NO_CHANGES : changed)
  if (!isNew) names.update(changed)
  return undefined
}

const NO_CHANGES = { files: [], folders: [], attached: [], below: [] }

function answer(request: SearchRequest): SearchResult {
  try {
    return { id: request.id, page: perform(request) }
  } catch (error) {
    // A failed update may have applied half of a change.
    names = undefined
    return { id: request.id, error: String(error) }
  }
}

self.onmessage = ({ data }: MessageEvent<SearchRequest>) => self.postMessage(answer(data))
