import { scopesOf } from '../../access/caller.ts'
import type { Admission } from '../../reception/arriving.ts'
import { strangerAdmission } from '../../reception/strangers.ts'
import { findOpen } from './access.ts'
import { shareNotFound } from './rules.ts'
import type { Visit } from './visits.ts'

/** Returns the admission of bytes that a visitor sends: its share must be open and take files. */
export const admissionOf = ({ tree, share: { id, slug, userId } }: Visit): Admission =>
  strangerAdmission(tree, { id, userId }, function* () {
    const { share, owner } = yield* findOpen(tree, slug)
    if (!share.canWrite || !scopesOf(owner).includes('files:write')) throw shareNotFound()
    return share
  })
