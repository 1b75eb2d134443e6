import { type Caller, scopeProblem } from '../../access/caller.ts'
import type { Context } from '../../access/context.ts'
import { verifyLink } from '../../access/signature.ts'
import type { FileAccess } from '../../store/rows.ts'

/** What a request shows to be let in: who is asking, and the parts of a signed link. */
interface Proof {
  caller: Caller | undefined
  expires: string | null
  signature: string | null
}

/** Stands in for a file that does not exist, so that asking for one costs as much as for a private one. */
const NO_FILE = { id: '00000000-0000-7000-8000-000000000000', visibility: 'private' as const }

/** The reason for which a request may read a file. A `member` may because of its credentials. */
export type Grant = 'public' | 'link' | 'member'

/**
 * Authorizes a request for hosted bytes; no other function does. A private file and a missing one cost the
 * same work.
 *
 * @returns `undefined` when `proof` does not open `file`.
 */
export function grantFor(
  deps: Context,
  { file, key, proof }: { file: FileAccess | undefined; key: string; proof: Proof },
): Grant | undefined {
  const { id, visibility } = file ?? NO_FILE
  if (visibility === 'public') return 'public'
  const grant = hasLink(deps, { id, key, proof }) ? 'link' : mayRead(proof.caller) ? 'member' : undefined
  return file && grant
}

function hasLink(deps: Context, { id, key, proof }: { id: string; key: string; proof: Proof }): boolean {
  const { expires, signature } = proof
  if (expires === null || signature === null) return false
  return verifyLink(deps.secrets.link, { fileId: id, key, expires }, { signature, now: deps.clock.now() })
}

const mayRead = (caller: Caller | undefined) =>
  caller !== undefined && scopeProblem(caller, 'files:read') === undefined
