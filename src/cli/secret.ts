import { isCancel, password } from '@clack/prompts'
import { Failure } from './failure.ts'
import type { Terminal } from './terminal.ts'

/**
 * Reads a secret from a prompt or standard input. It is never an argument, because every user of the machine can read
 * those.
 *
 * @throws {Failure} when the prompt is canceled.
 */
export async function askForSecret(
  { canAsk, errors, input }: Terminal,
  { message, canceled }: { message: string; canceled: string },
): Promise<string> {
  if (!canAsk) return (await new Response(input()).text()).trim()
  const answer = await password({ message, output: errors })
  if (isCancel(answer) || !answer) throw new Failure(canceled)
  return answer.trim()
}
