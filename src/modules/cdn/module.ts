import type { Context } from '../../access/context.ts'
import type { Module } from '../../api/module.ts'
import type { Purger } from './purger.ts'

/** Creates the module that purges a cache in front. Most of it is loaded only where there is one. */
export function createCdn(context: Context): Module {
  const { cdn } = context.config
  if (!cdn) return {}
  let opening: Promise<Purger> | undefined
  const open = () => {
    opening ??= import('./purger.ts').then(({ Purger }) => new Purger(context, cdn))
    return opening
  }
  return {
    jobs: [
      {
        pattern: '* * * * * *',
        task: 'Purging the cache in front',
        run: async () => (await open()).advance(),
      },
    ],
    stop: async () => (await opening)?.stop(),
  }
}
