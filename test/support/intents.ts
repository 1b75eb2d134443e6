import { eventually } from './eventually.ts'
import type { Holdfast } from './holdfast.ts'

/** Waits until no intent remains: the server removes the intent of an operation shortly after its response. */
export const expectNoIntents = ({ catalog }: Pick<Holdfast, 'catalog'>): Promise<void> =>
  eventually(() => catalog.intents.all().length === 0)
