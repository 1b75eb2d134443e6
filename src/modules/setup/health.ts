import type { Context } from '../../access/context.ts'
import { refuseForNow } from '../../platform/errors.ts'

/**
 * Asserts that the database responds and the volume is the one it belongs to.
 *
 * @throws {Refusal} `unavailable`.
 */
export async function assertHealthy({ store }: Pick<Context, 'store'>): Promise<void> {
  const volumeId = await check('The database cannot be read', () => store.instance.get('volumeId'))
  const found = await check('The folder of stored files cannot be read', store.volumeId)
  if (found === undefined || found !== volumeId)
    throw refuseForNow('The folder of stored files is not there: is its volume mounted?', undefined)
}

async function check<Value>(problem: string, read: () => Value | PromiseLike<Value>): Promise<Value> {
  try {
    return await read()
  } catch (cause) {
    throw refuseForNow(problem, cause)
  }
}
