type Source = Iterable<readonly unknown[]> | AsyncIterable<readonly unknown[]>

/** Long array that is written slice by slice. An empty slice writes nothing and only ends a time slice. */
export class Slices {
  readonly slices: Source

  constructor(slices: Source) {
    this.slices = slices
  }
}

/** Yields the JSON of a value in which `Slices` stand for arrays. */
export async function* jsonStream(value: unknown): AsyncGenerator<string, void> {
  if (value instanceof Slices) {
    yield '['
    let separator = ''
    for await (const slice of value.slices) {
      // An array without its brackets: to write its elements one by one takes half as long again.
      yield slice.length === 0 ? '' : separator + JSON.stringify(slice).slice(1, -1)
      if (slice.length > 0) separator = ','
    }
    yield ']'
  } else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    let separator = '{'
    for (const [name, member] of Object.entries(value)) {
      yield `${separator}${JSON.stringify(name)}:`
      yield* jsonStream(member)
      separator = ','
    }
    yield separator === '{' ? '{}' : '}'
  } else yield JSON.stringify(value)
}

/** Builds a response of JSON with its length, by which a short one is known before it is read. */
export function jsonResponse(value: unknown): Response {
  const text = JSON.stringify(value)
  const length = String(Buffer.byteLength(text))
  return new Response(text, {
    headers: { 'Content-Type': 'application/json;charset=utf-8', 'Content-Length': length },
  })
}
