import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atExit } from '../support/cleanup.ts'
import { bundledProgram, type ProgramEdit } from '../support/program.ts'
import { Control, compileShim } from './control.ts'
import { World } from './world.ts'

/** Shared resources of a run: a folder, the shim and the started servers. */
export interface Bench extends AsyncDisposable {
  folder: string
  /** Path of the shim; `undefined` without a compiler. */
  shim: string | undefined
  /** Returns a server that is not started, with the shim if there is one. Removed with the bench. */
  newWorld: (dataPath?: string, ...edits: ProgramEdit[]) => World
  /** Returns a running server with its first account. */
  startWorld: (...edits: ProgramEdit[]) => Promise<World>
}

export const NO_COMPILER = 'no C compiler: apt install gcc libc6-dev'

export async function openBench(): Promise<Bench> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-faults-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  const forget = atExit(remove)
  const shim = compileShim(folder)
  const worlds: World[] = []
  const newWorld = (dataPath?: string, ...edits: ProgramEdit[]) => {
    const own = join(folder, `world${worlds.length}`)
    mkdirSync(own)
    const options = { program: bundledProgram(...edits), dataPath: dataPath ?? join(own, 'data') }
    const world = new World(shim ? { ...options, control: new Control(own, shim) } : options)
    worlds.push(world)
    return world
  }
  return {
    folder,
    shim,
    newWorld,
    startWorld: async (...edits) => {
      const world = newWorld(undefined, ...edits)
      await world.boot()
      await world.register()
      return world
    },
    [Symbol.asyncDispose]: async () => {
      for (const world of worlds) await world.remove()
      remove()
      forget()
    },
  }
}

/** Runs the work for every item, a few at a time. */
export async function inLanes<Item>(
  lanes: number,
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items]
  const lane = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}
