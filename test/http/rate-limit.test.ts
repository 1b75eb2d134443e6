import { describe, expect, test } from 'bun:test'
import { type AddShared, RateLimiter, rateLimitBucket } from '../../src/platform/rate-limit.ts'

/** Returns a limiter on a clock that a test moves. It starts well past zero, like a real one. */
function limiterAt(limit: number, maxBuckets?: number) {
  const clock = { ms: 123_456.789 }
  const bound = maxBuckets === undefined ? {} : { maxBuckets }
  const limiter = new RateLimiter({ limit, monotonic: () => clock.ms, ...bound })
  const takeMany = (bucket: string, times: number) =>
    Array.from({ length: times }, () => limiter.take(bucket))
  return { clock, limiter, takeMany }
}

describe('RateLimiter', () => {
  test('allows the limit and refuses the request past it', () => {
    const { takeMany } = limiterAt(300)

    expect(takeMany('a', 300)).toEqual(Array(300).fill(0))
    expect(takeMany('a', 2)).toEqual([60, 60])
  })

  test('counts each bucket on its own', () => {
    const { limiter } = limiterAt(1)

    expect(['a', 'b', 'a', 'b'].map(limiter.take)).toEqual([0, 0, 60, 60])
  })

  test('refuses nothing and stores nothing with a limit of 0', () => {
    const { limiter, takeMany } = limiterAt(0)

    expect(takeMany('a', 1000)).toEqual(Array(1000).fill(0))
    expect(limiter.size).toBe(0)
  })

  test.each([
    [0, 60],
    [1, 60],
    [999, 60],
    [1000, 59],
    [30_500, 30],
    [59_000, 1],
    [59_999, 1],
    [59_999.5, 1],
    [60_000, 0],
    [10_000_000, 0],
  ])('asks a client to wait for the rest of its minute: after %d ms, %d s', (elapsedMs, seconds) => {
    const { clock, limiter } = limiterAt(1)
    limiter.take('a')

    clock.ms += elapsedMs

    expect(limiter.take('a')).toBe(seconds)
  })

  test('starts the minute at the first request, not at the first refusal or the last request', () => {
    const { clock, limiter } = limiterAt(2)
    limiter.take('a')
    clock.ms += 40_000
    limiter.take('a')

    expect(limiter.take('a')).toBe(20)
    clock.ms += 20_000
    expect(limiter.take('a')).toBe(0)
  })

  test('gives each client its own window', () => {
    const { clock, limiter } = limiterAt(1)
    limiter.take('early')
    clock.ms += 59_000
    limiter.take('late')
    clock.ms += 1000

    expect(limiter.take('early')).toBe(0)
    expect(limiter.take('late')).toBe(59)
    clock.ms += 58_999
    expect(limiter.take('late')).toBe(1)
    clock.ms += 1
    expect(limiter.take('late')).toBe(0)
    expect(limiter.take('early')).toBe(1)
  })

  test('grants a steady client the limit in each of ten minutes', () => {
    const { clock, takeMany } = limiterAt(5)

    for (let minute = 0; minute < 10; minute += 1) {
      expect(takeMany('a', 6).filter((wait) => wait === 0)).toHaveLength(5)
      clock.ms += 60_000
    }
  })

  test('evicts windows that ended', () => {
    const { clock, limiter } = limiterAt(5)
    for (let i = 0; i < 1000; i += 1) limiter.take(`client ${i}`)

    clock.ms += 60_000
    limiter.take('a')
    clock.ms += 60_000
    limiter.take('a')

    expect(limiter.size).toBeLessThanOrEqual(2)
  })

  test('resets one bucket in either generation, and no other', () => {
    const { clock, limiter } = limiterAt(1)
    clock.ms += 59_000
    for (const bucket of ['a', 'b']) limiter.take(bucket)
    clock.ms += 1000
    limiter.take('c')

    for (const bucket of ['a', 'c', 'never seen']) limiter.forget(bucket)

    expect(['a', 'b', 'c'].map(limiter.take)).toEqual([0, 59, 0])
  })

  test('stores a bounded number of buckets, and evicts the oldest first', () => {
    const { limiter } = limiterAt(1, 100)
    limiter.take('oldest')
    for (let i = 0; i < 1000; i += 1) {
      limiter.take(`client ${i}`)
      expect(limiter.size).toBeLessThanOrEqual(100)
    }

    expect(limiter.take('client 999')).toBe(60)
    expect(limiter.take('client 960')).toBe(60)
    expect(limiter.take('oldest')).toBe(0)
  })

  test('stores at most 100,000 buckets by default', () => {
    const { limiter } = limiterAt(1)
    for (let i = 0; i < 250_000; i += 1) limiter.take(`client ${i}`)

    expect(limiter.size).toBeLessThanOrEqual(100_000)
    expect(limiter.take('client 249999')).toBe(60)
  })

  test('refuses the request past the limit from one client under many spellings of its address', () => {
    const { limiter } = limiterAt(3)
    const addresses = ['2001:db8::1', '2001:DB8::2', '2001:0db8:0:0:ffff::', '2001:db8::dead']
    const mapped = ['1.2.3.4', '::ffff:1.2.3.4', '::FFFF:1.2.3.4', '::ffff:102:304']

    expect(addresses.map(rateLimitBucket).map(limiter.take)).toEqual([0, 0, 0, 60])
    expect(mapped.map(rateLimitBucket).map(limiter.take)).toEqual([0, 0, 0, 60])
  })
})

describe('limiters that servers share', () => {
  /** Counts of a database, whose windows end in 30 s. */
  function sharedCounts() {
    const counts = new Map<string, number>()
    const add: AddShared = async (more) => {
      for (const [bucket, count] of more) counts.set(bucket, (counts.get(bucket) ?? 0) + count)
      return new Map([...more.keys()].map((key) => [key, { count: counts.get(key) ?? 0, endsInMs: 30_000 }]))
    }
    return { counts, add }
  }

  test('refuse what all have counted together, until the window of all ends', async () => {
    const { counts, add } = sharedCounts()
    const [one, other] = [limiterAt(5), limiterAt(5)]
    for (let n = 0; n < 3; n += 1) {
      one.limiter.take('a')
      other.limiter.take('a')
    }
    await one.limiter.exchange('api', add)
    await other.limiter.exchange('api', add)

    expect(counts).toEqual(new Map([['api a', 6]]))
    expect(other.limiter.take('a')).toBe(30)
    expect(one.limiter.take('a')).toBe(0)
    await one.limiter.exchange('api', add)
    expect(one.limiter.take('a')).toBe(30)
    other.clock.ms += 30_000
    expect(other.limiter.take('a')).toBe(0)
  })

  test('exchange nothing twice, and nothing that an exchange did not add', async () => {
    const { counts, add } = sharedCounts()
    const { limiter } = limiterAt(5)
    limiter.take('a')
    const gate = Promise.withResolvers<void>()
    const running = limiter.exchange('api', async (more, windowMs) => {
      await gate.promise
      return add(more, windowMs)
    })
    limiter.take('a')
    gate.resolve()
    await running
    expect(counts.get('api a')).toBe(1)
    expect(limiter.exchange('api', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
    for (let n = 0; n < 3; n += 1) await limiter.exchange('api', add)

    expect(counts.get('api a')).toBe(2)
  })
})
