import { Failure } from './failure.ts'

/** A file or archive to download. */
export interface Fetched {
  /** Address of the server. */
  url: string
  id: string
  /** Local name, taken from the caller's arguments. */
  name: string
  /** True when the name comes from the server instead. It never names a file that exists. */
  isForeign?: boolean
  /** Requests all bytes, or the rest of what an earlier run stored. */
  fetch: (beginning?: { from: number; ifRange: string }) => Promise<Response>
}

/** Returns a valid id. @throws {Failure} when the server sent something else. */
export function asId(id: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) return id
  throw new Failure('The server does not respond like Holdfast: an id is not a UUID')
}
