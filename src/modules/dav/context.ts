import type { Caller, Scope } from '../../access/caller.ts'
import type { TreeContext } from '../../access/context.ts'
import type { Validators } from '../../http/conditional.ts'
import type { Destination } from '../../store/tree.ts'

import type { Locks } from './locks.ts'

/** Work of other modules. */
export interface Works {
  /** Responds with the bytes of a file, as the API does. */
  downloadFile: (deps: TreeContext, id: string, request: Request, shown?: Validators) => Promise<Response>
  /** Replaces the bytes of a file by the body of a request, as the API does. */
  replaceContent: (
    deps: TreeContext,
    caller: Caller,
    replacement: { id: string; request: Request; shown?: Validators | undefined },
  ) => Promise<{ etag: string }>
  /** Copies a file or folder to a name that must be free. */
  copyAs: (
    deps: TreeContext,
    caller: Caller,
    copy: { id: string; kind: 'file' | 'folder'; name: string; destination: Destination },
    leaving: AbortSignal,
  ) => Promise<{ id: string }>
  /** Replaces the bytes of a file by a copy of another one's. */
  copyOver: (
    deps: TreeContext,
    caller: Caller,
    copy: { id: string; replaces: string },
    leaving: AbortSignal,
  ) => Promise<void>
  /** Puts a folder in the place of another, which goes to the trash. */
  replaceFolder: (
    deps: TreeContext,
    caller: Caller,
    folders: { id: string; replaces: string },
  ) => Promise<unknown>
}

/** Request of an authenticated caller. */
export interface Asked {
  /** Services with the tree as far as the caller reaches. */
  deps: TreeContext
  works: Works
  /** Locks as the request found them. */
  locks: Locks
  caller: Caller
  request: Request
  /** Names from the root to the resource. */
  names: readonly string[]
  /** Tokens of locks that the request has. */
  tokens: ReadonlySet<string>
}

/** Method of the protocol. */
export interface Method {
  /** Scopes that it requires. */
  scopes: readonly Scope[]
  run: (asked: Asked) => Response | Promise<Response>
}
