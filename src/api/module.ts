import type { AnyElysia } from 'elysia'
import type { Job } from '../platform/jobs.ts'

/** Part of the server: its routes, its jobs, and what its own state needs. */
export interface Module<Routes extends AnyElysia = AnyElysia> {
  routes?: Routes
  jobs?: readonly Job[]
  /** Lets others know that the server stops within `graceMs`, while it still accepts requests. */
  leave?: (graceMs: number) => Promise<void>
  /** Ends responses that have no end of their own, before the server waits for those under way. */
  drain?: () => void
  /** Ends work that is under way, when the server stops accepting requests. */
  stop?: () => void | Promise<void>
  /** Saves what is only in memory, before the store closes. */
  flush?: () => Promise<void>
  /** Announces the last changes to other servers, once all modules have saved theirs. */
  announce?: () => Promise<void>
}
