import type { Caller } from '../access/caller.ts'
import type { Context, TreeContext } from '../access/context.ts'
import { refuseInvalid } from '../platform/errors.ts'
import type { StagedFile, Staging } from '../store/bytes.ts'
import { type Admission, admissionOf, whileArriving } from './arriving.ts'
import { checked, readDigests } from './digests.ts'
import { bodyOf, declaredLength, receiveLimits, recordFailure, withStaging } from './receive.ts'

/** Bytes that become one file. */
interface Incoming<Found> {
  bytes: AsyncIterable<Uint8Array>
  /** Length of the bytes; 0 for an unknown one. */
  length: number
  admission: Admission
  limits?: Parameters<Staging['receive']>[1]
  /** Compares what has arrived with what was promised, and returns what `publish` needs of it. */
  verify: (staged: StagedFile) => Found
}

/** Receives bytes into staging, counts and bounds them while they arrive, and publishes them once they are durable. */
export const receiveBytes = <Found, Answer>(
  deps: Context,
  { bytes, length, admission, limits = receiveLimits(deps), verify }: Incoming<Found>,
  publish: (staged: StagedFile, found: Found) => Promise<Answer>,
): Promise<Answer> =>
  withStaging(deps, length, async (staging) => {
    const staged = await whileArriving(deps, { length, ...admission }, (arriving) =>
      staging.receive(arriving.through(bytes), limits),
    )
    const found = verify(staged)
    await staging.sync()
    return publish(staged, found)
  })

/** Body of a request that is one file, with other conditions than those of an account if some are given. */
interface Body extends Partial<Pick<Incoming<unknown>, 'admission' | 'limits'>> {
  request: Request
  /** Bytes of the account that go when the file is published. */
  freed?: number
  /** Refuses a body before it arrives. Returns the name of the file. */
  admit: () => Promise<string>
}

/**
 * Receives the body of a request as a file, and publishes it. The caller's history records a failure.
 *
 * @throws {Refusal} `invalid` for a part of a file, and for other digests than promised, `too-large`, `quota-exceeded`,
 *   `no-space`.
 */
export function receiveBody<Answer>(
  deps: TreeContext,
  caller: Caller,
  { request, freed = 0, admit, ...given }: Body,
  publish: (staged: StagedFile, name: string) => Promise<Answer>,
): Promise<Answer> {
  const names: string[] = []
  return recordFailure(deps, { caller, names: () => names }, async () => {
    if (request.headers.has('content-range'))
      throw refuseInvalid('A part of a file cannot be stored: send all of it, without "Content-Range"')
    const name = await admit()
    const length = declaredLength(request)
    await deps.store.quotas.assertRoom({ userId: caller.user.id, bytes: length - freed })
    const { bytes, assertSame } = checked(bodyOf(request), readDigests(request.headers))
    const verify = (staged: StagedFile) => {
      names.push(name)
      assertSame(staged)
      return name
    }
    const admission = admissionOf(deps, caller, () => freed)
    return receiveBytes(deps, { admission, ...given, bytes, length, verify }, publish)
  })
}
