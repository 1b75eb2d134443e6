/** What a command reads and writes. Results go to standard output, everything else to standard error. */
export interface Terminal {
  /** Prints a line of the command's result; rejects when nobody reads any more. */
  print: (line: string) => Promise<void>
  /** A line for the person at the terminal. */
  warn: (line: string) => void
  /** Whether somebody watches standard error: only then is progress shown. */
  isWatched: boolean
  /** Whether somebody can be asked at standard input. */
  canAsk: boolean
  /** Standard input, to its end. */
  input: () => ReadableStream<Uint8Array>
  output: NodeJS.WriteStream
  errors: NodeJS.WriteStream
}

/** Writes a line, and waits until it can be read. Unlike `console.log` it notices when nobody reads any more. */
export function writeLine(output: NodeJS.WriteStream, line: string): Promise<void> {
  return new Promise((resolve, reject) => {
    output.once('error', reject)
    output.write(`${line}\n`, (error) => {
      if (error) return
      output.off('error', reject)
      resolve()
    })
  })
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/** A count of bytes as people read it, such as `1.5 MiB`. */
export function readableBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), UNITS.length - 1)
  const amount = bytes / 1024 ** power
  return `${power === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${UNITS[power]}`
}

export const count = (number: number, thing: string) => `${number} ${thing}${number === 1 ? '' : 's'}`
