import { client } from './client.ts'
import { queryClient } from './query.ts'

/** Query of the event after which the stream of changes begins. It never becomes outdated, or changes would be missed. */
const latestEvent = {
  queryKey: ['latest-event'],
  queryFn: () => client.changes.latest(),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
}

/** Starts to read the id of the latest event. Call it before the first lists are read. */
export const prefetchLatestEvent = () => queryClient.prefetchQuery(latestEvent)

/** Returns the id of the event that was the latest before the first lists were read. */
export const readLatestEvent = (): Promise<string> => queryClient.fetchQuery(latestEvent)
