import type { SourceChange } from '../support/mutant.ts'

/** Change that a rig must catch. */
export interface Mutation extends SourceChange {
  /** Cheapest arguments of a rig that catches it, with a seed that is known to where chance plays a part. */
  rig: string[]
}

const LINK_STAGED = 'await link(stagedPath, directory.entry(name)).catch(refuseClash(name))'

/** Mutations that the rigs must catch. */
export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'no file fsync',
    file: 'src/volume/staging.ts',
    text: '  await durability.sync(file)',
    replacement: '',
    rig: ['power', '--rows', 'upload one'],
  },
  {
    name: 'no directory fsync',
    file: 'src/volume/directory.ts',
    text: 'await fsyncAsync(this.#fd)',
    replacement: 'if (this.#fd < 0) await fsyncAsync(this.#fd)',
    rig: ['power', '--rows', 'upload one'],
  },
  {
    name: 'no parent-directory fsync',
    file: 'src/volume/volume.ts',
    text: `${LINK_STAGED}\n      await this.#durability.sync(directory)`,
    replacement: `${LINK_STAGED}\n      if (files.length > 0) await this.#durability.sync(directory)`,
    rig: ['power', '--rows', 'create folder'],
  },
  ...['NORMAL', 'OFF'].map((synchronous) => ({
    name: `synchronous = ${synchronous}`,
    file: 'src/catalog/sqlite/database.ts',
    text: "sqlite.run('PRAGMA synchronous = FULL')",
    replacement: `sqlite.run('PRAGMA synchronous = ${synchronous}')`,
    rig: ['power', '--rows', 'create key'],
  })),
  {
    name: "no fsync of the database's folder",
    file: 'src/catalog/sqlite/database.ts',
    text: "    if (path !== ':memory:') syncPath(dirname(path))",
    replacement: '',
    rig: ['errors', '--rows', 'start'],
  },
  {
    name: 'a rename that overwrites',
    file: 'src/volume/volume.ts',
    text: LINK_STAGED,
    replacement: 'renameSync(stagedPath, directory.entry(name))',
    also: { file: 'src/store/folder/publish.ts', text: 'await deps.lock.published(target)', replacement: '' },
    rig: ['kill', '--rows', 'same name at once'],
  },
  {
    name: 'row before file',
    file: 'src/store/folder/publish.ts',
    text: '    for (const [key, additions] of additionsOf(publication)) await volume.add(key, additions)\n    return await commit(intentId)',
    replacement: `    const value = await commit(intentId)
    for (const [key, additions] of additionsOf(publication)) await volume.add(key, additions)
    return value`,
    rig: ['kill', '--rows', 'upload one'],
  },
  {
    name: 'file deleted before row',
    file: 'src/store/folder/remove.ts',
    text: '  const plan: DeletePlan = {',
    replacement: '  await volume.removeFile(key, identity)\n  const plan: DeletePlan = {',
    rig: ['kill', '--rows', 'delete file'],
  },
  {
    name: 'staging emptied before deletes are undone',
    file: 'src/store/folder/engine.ts',
    text: '  const recovered = await unfinished.recover()\n',
    replacement: `  clearStaging(paths, new Set(await catalog.resumables.unfinishedIds()), () => {})
  const recovered = await unfinished.recover()
`,
    rig: ['kill', '--rows', 'delete folder'],
  },
  {
    name: 'orphans deleted at start',
    file: 'src/store/store.ts',
    text: '    reserve.take()\n\n',
    replacement: `    reserve.take()
    for (const { name, kind } of (await volume.list('')) ?? []) {
      if (kind === 'file' && !(await catalog.files.byName(await catalog.folders.root(), name)))
        await volume.removeFile(name, undefined)
    }
`,
    rig: ['kill', '--rows', 'create key'],
  },
  {
    name: 'fsync error swallowed',
    file: 'src/volume/disk.ts',
    text: '      await target.sync()',
    replacement: '      await target.sync().catch(() => {})',
    rig: ['errors', '--rows', 'upload one'],
  },
  {
    name: 'going on after a failed fsync of a file',
    file: 'src/volume/disk.ts',
    text: 'this.#onFailure(error)',
    replacement: 'void this.#onFailure',
    rig: ['power', '--rows', 'disturbance'],
  },
  {
    name: 'going on after a failed fsync of the log',
    file: 'src/catalog/sqlite/group-commit.ts',
    text: ': this.fail(error)\n',
    replacement: ': error\n',
    rig: ['power', '--rows', 'disturbance'],
  },
  {
    name: 'what is unknown stays aside',
    file: 'src/store/folder/remove.ts',
    text: 'await deps.lock.exclusive(() => returnStrangers(deps, key, aside))',
    replacement: 'void returnStrangers',
    rig: ['errors', '--rows', 'delete folder with strangers'],
  },
  {
    name: 'publish on abort',
    file: 'src/modules/files/upload.ts',
    text: `            return staging.receive(arriving.through(body), limits)
          },
        }),
      )
      await staging.sync()`,
    replacement: `            files = before
            return staging.receive(arriving.through(body), limits)
          },
        }),
      ).catch(() => files)
      await staging.sync().catch(() => {})`,
    rig: ['errors', '--rows', 'aborted uploads'],
  },
  {
    name: 'first file of several published early',
    file: 'src/modules/files/upload.ts',
    text: '  const { files: rows, skipped } = await storeReceived(deps, caller, { received, onConflict })\n',
    replacement: `  const first = { ...received, files: sent.slice(0, 1) }
  const { files: early, skipped } = await storeReceived(deps, caller, { received: first, onConflict })
  const others = { ...received, files: sent.slice(1) }
  const late = sent.length > 1 ? await storeReceived(deps, caller, { received: others, onConflict }) : undefined
  const rows = [...early, ...(late?.files ?? [])]
`,
    rig: ['kill', '--rows', 'upload many'],
  },
  {
    name: 'a rename writes the visibility that it read',
    file: 'src/store/moves.ts',
    text: 'const { name = row.name, ...others } = changes',
    replacement:
      'const { name = row.name, visibility = row.visibility } = changes; const others = { visibility }',
    rig: ['linear', '--same', '--count', '300', '--seed', '43'],
  },
  {
    name: 'short lists outlive a change',
    file: 'src/views/pages.ts',
    text: 'if (known?.version === madeAt) return known.bytes',
    replacement: 'if (known) return known.bytes',
    rig: ['linear', '--same', '--count', '300', '--seed', '118'],
  },
  {
    name: 'hosted files outlive a change',
    file: 'src/modules/hosting/response-cache.ts',
    text: 'if (file.version !== version && !this.#isCatalogued(file)) return false',
    replacement: '',
    rig: ['linear', '--same', '--count', '300', '--seed', '25'],
  },
  {
    name: 'files of a restored folder are public',
    file: 'src/store/trash/rows.ts',
    text: '.map(({ trashId: _, ...file }) => file)',
    replacement: ".map(({ trashId: _, ...file }) => ({ ...file, visibility: 'public' as const }))",
    rig: ['linear', '--same', '--count', '300', '--seed', '12'],
  },
  {
    name: 'a body in chunks may have any framing',
    file: 'src/transport/chunked.ts',
    text: 'if (this.#framingBytes > MAX_FREE_FRAMING_BYTES + this.#dataBytes) throw new MalformedBody()',
    replacement: '',
    rig: ['cost', '--rows', 'chunks of one byte'],
  },
]
