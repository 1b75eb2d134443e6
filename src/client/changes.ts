import type { Connection } from './connection.ts'
import { unanswered } from './error.ts'
import type { Changes, HoldfastFile, SignalOption } from './types.ts'

const PATH = 'api/changes'
/** Maximum ids of one request. */
const PAGE = 100

/** Event of a stream of changes. After `reset`, everything is to be read again. */
export interface ChangeEvent {
  type: 'ready' | 'reset' | 'changes'
  /** Id after which another stream continues. */
  id: string
  /** Missing for the first event. */
  changes?: Changes
}

/** Returns the calls of `/api/changes`. Each throws a `HoldfastError` when the server refuses it. */
export function changeCalls(connection: Connection) {
  return {
    /** Returns the id of the latest event. A stream after it names what changes from now on, if it begins within 30 s. */
    latest: async ({ signal }: SignalOption = {}): Promise<string> =>
      (await connection.data<{ id: string }>(`${PATH}/latest`, { signal })).id,
    /** Yields changes as they happen, at most one event a second, until the server ends the stream. */
    async *watch({
      after,
      signal,
    }: { after?: string | undefined } & SignalOption = {}): AsyncGenerator<ChangeEvent> {
      const headers = { Accept: 'text/event-stream', ...(after !== undefined && { 'Last-Event-ID': after }) }
      const { body } = await connection.send(PATH, { headers, signal })
      if (!body) return
      const reader = body.getReader()
      const decoder = new TextDecoder()
      const read = () =>
        reader.read().catch((error) => {
          throw unanswered(connection.url, error, signal)
        })
      let text = ''
      try {
        for (let { done, value } = await read(); !done; { done, value } = await read()) {
          const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n')
          text = blocks.pop() ?? ''
          for (const block of blocks) {
            const event = readEvent(block)
            if (event) yield event
          }
        }
      } finally {
        await reader.cancel().catch(() => {})
      }
    },
    /** Returns the files among `ids`, 100 in a request. */
    files: async (ids: readonly string[], { signal }: SignalOption = {}): Promise<HoldfastFile[]> => {
      const found: HoldfastFile[] = []
      for (let at = 0; at < ids.length; at += PAGE) {
        const query = { ids: ids.slice(at, at + PAGE).join(',') }
        const { files } = await connection.data<{ files: HoldfastFile[] }>(`${PATH}/files`, { query, signal })
        found.push(...files)
      }
      return found
    },
  }
}

/** Reads an event; `undefined` for a comment, or an event of a later version. */
function readEvent(block: string): ChangeEvent | undefined {
  const fields = new Map(block.split('\n').map(split))
  const [type, id = '', data = '{}'] = [fields.get('event'), fields.get('id'), fields.get('data')]
  if (type === 'changes') return { type, id, changes: JSON.parse(data) }
  return type === 'ready' || type === 'reset' ? { type, id } : undefined
}

/** Splits a field at its colon (HTML §9.2.6). */
function split(line: string): [string, string] {
  const [name = ''] = line.split(':', 1)
  return [name, line.slice(name.length + 1).replace(/^ /, '')]
}
