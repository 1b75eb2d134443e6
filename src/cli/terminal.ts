import type { Writable } from 'node:stream'

/** Input and output of a command. Results go to standard output, everything else to standard error. */
export interface Terminal {
  /** Prints a line of the result; rejects when the reader has closed the pipe. */
  print: (line: string) => Promise<void>
  /** Prints a value as a line of JSON, for programs. */
  printJson: (value: unknown) => Promise<void>
  /** Prints a line for the user. */
  warn: (line: string) => void
  /** True when standard error is a terminal. Only then is progress shown. */
  isWatched: boolean
  /** True when standard input is a terminal, which can show a prompt. */
  canAsk: boolean
  /** Standard input, to its end. */
  input: () => ReadableStream<Uint8Array>
  output: Writable
  errors: Writable
}

/** Control characters, and those that change the direction of text (UAX #9). A terminal interprets them. */
const OBEYED = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

/** Replaces characters that a terminal interprets by visible marks. A server can send any, also in names. */
export const withMarks = (text: string): string =>
  text.replace(OBEYED, (character) => {
    const code = character.charCodeAt(0)
    // Unicode's pictures of the controls, such as U+241B for ESC.
    if (code < 0x20) return String.fromCharCode(0x2400 + code)
    return code === 0x7f ? '\u2421' : '\ufffd'
  })

/** Escapes the characters of a JSON text that a terminal interprets. */
const inEscapes = (json: string): string =>
  json.replace(OBEYED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Returns the terminal of a process. Only a terminal gets marks; pipes and files get the exact text. */
export function createTerminal(
  { stdin, stdout, stderr }: Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr'>,
  input: Terminal['input'],
): Terminal {
  return {
    print: (line) => writeLine(stdout, stdout.isTTY ? withMarks(line) : line),
    printJson: (value) => {
      const json = JSON.stringify(value)
      return writeLine(stdout, stdout.isTTY ? inEscapes(json) : json)
    },
    warn: (line) => console.error(stderr.isTTY ? withMarks(line) : line),
    isWatched: stderr.isTTY,
    canAsk: stdin.isTTY && stderr.isTTY,
    input,
    output: stdout,
    errors: stderr,
  }
}

/** Writes a line and waits until it is flushed. Unlike `console.log` it notices a closed pipe. */
function writeLine(output: NodeJS.WriteStream, line: string): Promise<void> {
  return new Promise((resolve, reject) => {
    output.once('error', reject)
    output.write(`${line}\n`, (error) => {
      if (error) return
      output.off('error', reject)
      resolve()
    })
  })
}
