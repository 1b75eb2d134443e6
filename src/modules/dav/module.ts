import type { Context } from '../../access/context.ts'
import type { Module } from '../../api/module.ts'
import type { Works } from './context.ts'
import { davProblem } from './problem.ts'
import { isDavPath } from './resource.ts'
import type { DavService } from './service.ts'

/** Builds WebDAV at `/dav/` (RFC 4918). Its code is loaded with its first request: most instances have none. */
export function createDav(context: Context, works: Works): Module {
  let opened: Promise<DavService> | undefined
  const open = () => {
    opened ??= import('./service.ts').then(({ openDav }) => openDav(context, works))
    return opened
  }
  return {
    jobs: [
      {
        pattern: '17 5 * * *',
        task: 'Removing WebDAV properties of what is gone',
        run: () => context.store.removeInSlices((limit) => context.store.davItems.removeOrphans(limit)),
      },
    ],
    protocol: {
      isFor: (_, path) => isDavPath(path),
      facts: { kind: 'download', limit: 'upload', isPage: false, isAlwaysThere: false, isCompressed: false },
      respond: async (request) => (await open()).respond(request),
      problem: davProblem,
    },
  }
}
