import { progress } from '@clack/prompts'
import { readableBytes, type Terminal } from './terminal.ts'

/** A bar that shows how much of a transfer is done. */
export interface Bar {
  /** Bytes that were transferred so far, of all. */
  reach: (loaded: number) => void
  /** The transfer is over, well or not. */
  end: () => void
}

const SILENT: Bar = { reach: () => {}, end: () => {} }

/** Shows a bar while somebody watches. */
export function showProgress({ isWatched, errors }: Terminal, what: string, total: number): Bar {
  if (!isWatched || total === 0) return SILENT
  const bar = progress({ max: total, size: 30, style: 'block', output: errors })
  let reached = 0
  bar.start(what)
  return {
    reach: (loaded) => {
      const percent = Math.floor((Math.min(loaded, total) / total) * 100)
      bar.advance(
        loaded - reached,
        `${what} (${readableBytes(loaded)} of ${readableBytes(total)}, ${percent} %)`,
      )
      reached = loaded
    },
    end: () => bar.clear(),
  }
}
