import type { Caller } from '../access/caller.ts'
import type { TreeContext } from '../access/context.ts'
import type { ExpectedDigests } from '../http/digests.ts'
import type { StagedFile } from '../store/bytes.ts'
import { admissionOf, whileArriving } from './arriving.ts'
import { checked } from './digests.ts'
import { bodyOf, declaredLength, receiveLimits, recordFailure, withStaging } from './receive.ts'

/** Body of a request that is one file. */
interface Body {
  request: Request
  /** Name of the file. */
  name: string
  /** Bytes of the account that go when the file is published. */
  freed?: number
  /** Refuses a body before it arrives. Returns the digests that it must have. */
  admit: () => Promise<ExpectedDigests>
}

/**
 * Receives the body of a request as a file, and publishes it. The caller's history records a failure.
 *
 * @throws {Refusal} `invalid` for other digests than promised, `too-large`, `quota-exceeded`, `no-space`.
 */
export function receiveBody<Answer>(
  deps: TreeContext,
  caller: Caller,
  { request, name, freed = 0, admit }: Body,
  publish: (staged: StagedFile) => Promise<Answer>,
): Promise<Answer> {
  let isComplete = false
  return recordFailure(deps, { caller, names: () => (isComplete ? [name] : []) }, async () => {
    const digests = await admit()
    const length = declaredLength(request)
    await deps.store.quotas.assertRoom({ userId: caller.user.id, bytes: length - freed })
    return withStaging(deps, length, async (staging) => {
      const { bytes, assertSame } = checked(bodyOf(request), digests)
      const admission = { request, ...admissionOf(deps, caller, () => freed) }
      const staged = await whileArriving(deps, admission, (arriving) =>
        staging.receive(arriving.through(bytes), receiveLimits(deps)),
      )
      isComplete = true
      assertSame(staged)
      await staging.sync()
      return publish(staged)
    })
  })
}
