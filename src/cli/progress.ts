import { SingleBar } from 'cli-progress'
import { readableBytes, type Terminal, withMarks } from './terminal.ts'

/** A bar that shows how much of a transfer is done. */
export interface Bar {
  /** Bytes that were transferred so far, of all. */
  reach: (loaded: number) => void
  /** The transfer is over, well or not. */
  end: () => void
}

const SILENT: Bar = { reach: () => {}, end: () => {} }

/** Shows a bar while somebody watches. It leaves signals alone: Ctrl-C ends the command as any other. */
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
