import type { AnyElysia } from 'elysia'
import type { Refusal } from '../platform/errors.ts'
import type { Job } from '../platform/jobs.ts'
import type { RouteFacts } from './route-facts.ts'

/** Protocol beside the API: it has its own methods, credentials and responses, and the limits of all routes. */
export interface Protocol {
  /** Returns true for the requests that it responds to. */
  isFor: (request: Request, path: string) => boolean
  facts: Required<RouteFacts>
  respond: (request: Request) => Promise<Response>
  /** Awaited before `isFor`, which may depend on changes by other servers. */
  prepare?: (request: Request) => Promise<void> | undefined
  /** Builds the response to a failure, in place of the API's. */
  fail?: (error: unknown, request: Request) => Response | Promise<Response>
  /** Builds the response to a refusal, in place of the API's envelope; a bug has no refusal. */
  problem?: (refusal: Refusal | undefined, request: Request) => Response
}

/** Part of the server: its routes, its jobs, and what its own state needs. */
export interface Module<Routes extends AnyElysia = AnyElysia> {
  routes?: Routes
  protocol?: Protocol
  jobs?: readonly Job[]
  /** Receives the port that the server listens on. */
  listening?: (port: number) => void
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
