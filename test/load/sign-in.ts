import { growthDuring } from '../bench/memory.ts'
import { type Limit, MiB } from '../bench/report.ts'
import { growth, never, slowest, startLoaded, waitsDuring } from './server.ts'

/** Sends floods of two hundred concurrent sign-ins while other clients request a file. */
export async function loadSignIns(floods: number): Promise<Limit[]> {
  await using loaded = await startLoaded()
  const { holdfast } = loaded
  const { pid } = holdfast.child
  const statuses = new Map<number, number>()
  const attempt = async (n: number) => {
    const body = JSON.stringify({ email: `nobody${n}@example.com`, password: 'a wrong password' })
    const { status } = await holdfast.fetch('/api/auth/sign-in/email', { method: 'POST', body })
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  let waited: number[] = []
  const grown = await growthDuring(pid, async () => {
    waited = await waitsDuring(holdfast, '/api/hosting/small?x', async () => {
      for (let flood = 0; flood < floods; flood += 1) {
        await Promise.all(Array.from({ length: 200 }, (_, n) => attempt(flood * 200 + n)))
      }
    })
  })
  const refused = statuses.get(429) ?? 0
  const rejected = statuses.get(401) ?? 0
  return [
    ...slowest('a file during floods of 200 sign-ins', waited, 20),
    growth('memory for floods of 200 sign-ins', grown, 256 * MiB),
    never('sign-ins with neither 401 nor 429', floods * 200 - refused - rejected),
    { what: 'sign-ins refused as too many', value: refused, show: String },
  ]
}
