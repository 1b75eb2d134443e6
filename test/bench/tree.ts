import { join } from 'node:path'
import { openCatalog } from '../../src/catalog/sqlite/open.ts'
import { findFileByKey } from '../../src/views/files.ts'
import { type Caller, callApi, folderId } from './api.ts'
import { type Part, prepareData } from './bench.ts'
import { FOREST, fileName, folderName, plantForest } from './forest.ts'
import { growthDuring } from './memory.ts'
import { growthOfMemory, type Limit, median, type Row, showMs } from './report.ts'
import { watchStalls } from './stalls.ts'

const ROUNDS = 30

/** Look-ups, lists and changes in a catalog of a million files in 20,000 folders. */
export const tree: Part = {
  measure: async (bench) => {
    const dataPath = join(bench.folder, 'tree')
    const withKey = await prepareData(bench, dataPath)
    plantForest(dataPath, Date.now())
    const rows: Row[] = [lookUp(dataPath)]
    await using holdfast = await bench.spawn(dataPath)
    const caller: Caller = { holdfast, withKey, signal: bench.signal }
    for (const order of ['createdAt', 'updatedAt', 'name', 'size']) {
      for (const direction of ['ASC', 'DESC']) rows.push(await list(caller, order, direction))
    }
    rows.push(await stats(caller), await rename(caller), ...(await search(caller)))
    for (const work of [listAll, hide]) rows.push(...(await watchGrowth(caller, work)))
    return rows
  },
}

/** Runs work on all files and adds the growth of the server's memory to its limits. */
async function watchGrowth(caller: Caller, work: (caller: Caller) => Promise<Limit[]>): Promise<Limit[]> {
  const { pid } = caller.holdfast.child
  const limits: Limit[] = []
  const value = await growthDuring(pid, async () => limits.push(...(await work(caller))))
  return [...limits, growthOfMemory('growth of memory meanwhile', value)]
}

/** Measures the median look-up of a file by its key in the catalog, in microseconds. */
function lookUp(dataPath: string): Limit {
  const onUnknownOutcome = (error: unknown) => {
    throw error
  }
  const catalog = openCatalog({ path: join(dataPath, 'db', 'holdfast.sqlite'), onUnknownOutcome })
  const samples: number[] = []
  for (let round = 0; round < 20_000; round += 1) {
    const [top, inner, file] = [
      (round * 7) % FOREST.top,
      (round * 13) % FOREST.inner,
      round % FOREST.filesInFolder,
    ]
    const key = `forest/${folderName(top)}/${folderName(inner)}/${fileName(file)}`
    const begin = performance.now()
    if (!catalog.now(findFileByKey({ store: catalog }, key))) throw new Error(`${key} was not found`)
    samples.push((performance.now() - begin) * 1000)
  }
  catalog.close()
  return {
    what: 'look-up by key',
    value: median(samples),
    limit: 50,
    show: (value) => `${value.toFixed(1)} µs`,
  }
}

/** Returns the median time of `work` in milliseconds, including the response. */
async function medianMs(work: (round: number) => Promise<unknown>): Promise<number> {
  const samples: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const begin = performance.now()
    await work(round)
    samples.push(performance.now() - begin)
  }
  return median(samples)
}

async function list(caller: Caller, order: string, direction: string): Promise<Limit> {
  const path = `/files?limit=100&orderBy=${order}&orderDirection=${direction}`
  const value = await medianMs(() => callApi(caller, 'GET', path))
  return { what: `list of 100 by ${order} ${direction}`, value, limit: 5, show: showMs }
}

async function stats(caller: Caller): Promise<Limit> {
  return {
    what: 'stats',
    value: await medianMs(() => callApi(caller, 'GET', '/stats')),
    limit: 20,
    show: showMs,
  }
}

/** Searches for the only name of its kind, for parts that some, most and no names have, and for nothing. */
async function search(caller: Caller): Promise<Limit[]> {
  const find = (text: string) =>
    callApi<{ items: unknown[] }>(caller, 'GET', `/search?q=${encodeURIComponent(text)}`)
  const begin = performance.now()
  await find('forest')
  const rows: Limit[] = [
    { what: 'first search, which reads all names', value: performance.now() - begin, show: showMs },
  ]
  for (const text of ['forest', 'older-007', 'file-07', 'ile', 'e', 'none at all', '']) {
    const value = await medianMs(() => find(text))
    rows.push({ what: `search for "${text}"`, value, limit: 50, show: showMs })
  }
  return rows
}

/** Renames the top folder and checks that the new key is visible at once. */
async function rename(caller: Caller): Promise<Limit> {
  const { folder } = await callApi<{ folder: { id: string } }>(caller, 'POST', '/folders', {
    folder: 'other',
  })
  await callApi(caller, 'DELETE', '/folders', { id: folder.id })
  const id = await folderId(caller, 'forest')
  const value = await medianMs(async (round) => {
    await callApi(caller, 'PUT', '/folders', { id, name: round % 2 === 0 ? 'renamed' : 'forest' })
  })
  await callApi(caller, 'GET', `/files?key=forest/${folderName(1)}/${folderName(2)}/${fileName(3)}`)
  return { what: 'rename above everything', value, limit: 20, show: showMs }
}

async function listAll(caller: Caller): Promise<Limit[]> {
  const { longestMs, value } = await watchStalls(`${caller.holdfast.url}/api/health`, async () => {
    const begin = performance.now()
    const { holdfast, withKey, signal } = caller
    const headers = { ...withKey, 'Accept-Encoding': 'identity' }
    const response = await fetch(`${holdfast.url}/api/files`, { headers, signal })
    for await (const _ of response.body ?? []);
    return (performance.now() - begin) / 1000
  })
  return [
    { what: 'list of all', value, show: (value) => `${value.toFixed(1)} s` },
    { what: 'longest wait of others meanwhile', value: longestMs, limit: 50, show: showMs },
  ]
}

async function hide(caller: Caller): Promise<Limit[]> {
  const { folders } = await callApi<{ folders: { parentId: string }[] }>(caller, 'GET', '/folders?limit=0')
  const id = folders[0]?.parentId
  const { longestMs, value } = await watchStalls(`${caller.holdfast.url}/api/health`, async () => {
    const begin = performance.now()
    await callApi(caller, 'PUT', '/folders', { id, visibility: 'private' })
    return (performance.now() - begin) / 1000
  })
  return [
    { what: 'making everything private', value, show: (value) => `${value.toFixed(1)} s` },
    { what: 'longest wait of others meanwhile', value: longestMs, limit: 50, show: showMs },
  ]
}
