import type { Server } from '../../server.ts'

const DAY_MS = 86_400_000
const DAYS = 30
const MEAN_BYTES = 12_000

/** Adds a month of hosting traffic, so that the overview has something to show. */
export async function addTraffic(
  { deps: { store, clock } }: Server,
  fileIds: readonly string[],
): Promise<void> {
  const day = (ago: number) => new Date(clock.now() - ago * DAY_MS).toISOString().slice(0, 10)
  await store.transact(function* () {
    for (let ago = 1; ago < DAYS; ago += 1) {
      const requests = requestsOn(ago)
      yield* store.traffic.addDay({
        day: day(ago),
        requests,
        bytes: requests * MEAN_BYTES,
        notFound: ago % 4,
      })
      yield* store.traffic.addFiles(
        fileIds.map((fileId, index) => {
          const share = Math.round(requests / (index + 2))
          return { day: day(ago), fileId, requests: share, bytes: share * MEAN_BYTES }
        }),
      )
    }
  })
}

/** Returns the requests of a day: quieter on some days, with one peak. */
const requestsOn = (ago: number): number =>
  Math.round((300 + 90 * Math.sin(ago * 0.9) + 40 * Math.sin(ago * 2.7)) * (ago === 9 ? 2.2 : 1))
