import { SingleBar } from 'cli-progress'
import { readableBytes } from '../platform/amounts.ts'
import { type Terminal, withMarks } from './terminal.ts'

/** Progress bar of a transfer. */
export interface Bar {
  /** Sets the number of transferred bytes. */
  reach: (loaded: number) => void
  /** Removes the bar after success or failure. */
  end: () => void
}

const SILENT: Bar = { reach: () => {}, end: () => {} }

/** Shows a bar on a terminal. Signals keep their meaning: Ctrl-C ends the command. */
export function showProgress({ isWatched, errors }: Terminal, what: string, total: number): Bar {
  if (!isWatched || total === 0) return SILENT
  const bar = new SingleBar({
    format: `${withMarks(what)} [{bar}] {percentage} % of ${readableBytes(total)}, {eta_formatted} left`,
    barsize: 30,
    stream: errors,
    clearOnComplete: true,
    gracefulExit: false,
  })
  bar.start(total, 0)
  return { reach: (loaded) => bar.update(Math.min(loaded, total)), end: () => bar.stop() }
}
