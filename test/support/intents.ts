import { eventually } from './eventually.ts'
import type { Holdfast } from './holdfast.ts'

/** Resolves when every operation is finished: the server removes the intents of finished ones a moment later. */
export const expectNoIntents = ({ catalog }: Pick<Holdfast, 'catalog'>): Promise<void> =>
  eventually(() => catalog.intents.all().length === 0)
