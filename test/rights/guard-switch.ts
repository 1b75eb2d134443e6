/** Switches off one guard in a copy of the project, whose guards `guards.ts` has wrapped in these functions. */

/** Number of the guard that this process does without. */
const WITHOUT = Number(process.env['WITHOUT_GUARD'] ?? -1)

const noted = new Set<number>()

/** Returns true for the guard that the process does without. */
export const isWithout = (guard: number): boolean => guard === WITHOUT

/** Notes a guard whose value differs from the one without it. */
export function differing<Value>(guard: number, value: Value, without: unknown): Value {
  if (value !== without) noted.add(guard)
  return value
}

/** Notes a guard that refuses. */
export function* refusing<Step, Result, Next>(guard: number, steps: Generator<Step, Result, Next>) {
  try {
    return yield* steps
  } catch (error) {
    noted.add(guard)
    throw error
  }
}

/** Notes a guard that refuses. */
export async function rejecting<Value>(guard: number, value: Promise<Value>): Promise<Value> {
  try {
    return await value
  } catch (error) {
    noted.add(guard)
    throw error
  }
}

/** Returns the guards that were noted since the last call. */
export function takeNoted(): number[] {
  const guards = [...noted]
  noted.clear()
  return guards
}
