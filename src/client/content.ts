import type { Content, Source } from './types.ts'

/** Record of content while it is read. */
export interface Reading {
  count: (bytes: number) => void
  /** The content's own error, which `fetch` would report as a failure of the network. */
  failure?: { error: unknown }
}

export const isSource = (content: Content): content is Source =>
  typeof content === 'object' && 'stream' in content && typeof content.stream === 'function'

export const encode = (text: string) => new TextEncoder().encode(text)

/** Yields the bytes of content, and counts them. */
export async function* read(content: Content, reading: Reading): AsyncGenerator<Uint8Array> {
  const reader = chunksOf(content).getReader()
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      reading.count(value.length)
      yield value
    }
  } catch (error) {
    reading.failure = { error }
    throw error
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function chunksOf(content: Content): ReadableStream<Uint8Array> {
  if (content instanceof ReadableStream) return content
  return isSource(content) ? content.stream() : new Blob([content]).stream()
}

/** Returns the length of content in bytes; undefined for a stream. */
export function sizeOf(content: Content): number | undefined {
  if (content instanceof ReadableStream) return undefined
  if (isSource(content)) return content.size
  return typeof content === 'string' ? encode(content).length : content.length
}

/** Returns a stream that pulls the next bytes only when the last have been sent. */
export function streamOf(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      pull: async (controller) => {
        const { value, done } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: async () => {
        await chunks.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}
