import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { createLog } from '../../src/platform/log.ts'

const CLOCK = { now: () => 0, monotonic: () => 0 }
const HEAD = '"time":"1970-01-01T00:00:00.000Z"'

let lines: string[] = []
beforeEach(() => {
  lines = []
  spyOn(console, 'log').mockImplementation((line) => {
    lines.push(String(line))
  })
})
afterEach(() => {
  spyOn(console, 'log').mockRestore()
})

const openLog = () => createLog({ logFormat: 'json', logLevel: 'debug' }, CLOCK)

/** Returns the log's form of an error, without its stack. */
function logged(error: unknown): unknown {
  openLog().error('failed', error)
  const { err } = JSON.parse(lines.at(-1) ?? '')
  if (typeof err === 'object') delete err.stack
  return err
}

describe('the JSON log', () => {
  test('writes level, time, fields and message, in this order', () => {
    const log = openLog()

    log.info('plain')
    log.info('a "b"\n', { path: '/x', status: 200 })
    log.debug?.('request', { requestId: 'r' })

    expect(lines).toEqual([
      `{"level":"info",${HEAD},"msg":"plain"}`,
      `{"level":"info",${HEAD},"path":"/x","status":200,"msg":"a \\"b\\"\\n"}`,
      `{"level":"debug",${HEAD},"requestId":"r","msg":"request"}`,
    ])
  })

  test('writes an error before the message, with its fields', () => {
    const error = Object.assign(new TypeError('broken', { cause: new Error('why') }), { code: 'EIO' })
    const stack = JSON.stringify(`${error.stack}\ncaused by: ${Object(error.cause).stack}`)

    openLog().error('failed', error, { path: '/x' })

    expect(lines).toEqual([
      `{"level":"error",${HEAD},"path":"/x","err":{"type":"TypeError","message":"broken: why","stack":${stack},"code":"EIO"},"msg":"failed"}`,
    ])
  })

  test('writes the errors of an AggregateError', () => {
    expect(logged(new AggregateError([new Error('one'), 'two'], 'many'))).toMatchObject({
      type: 'AggregateError',
      message: 'many',
      aggregateErrors: [{ type: 'Error', message: 'one' }, 'two'],
    })
  })

  test('writes errors that JSON cannot represent as text', () => {
    const error = new Error('circular')
    error.cause = error
    expect(logged(Object.assign(error, { self: error, big: 1n }))).toEqual({
      type: 'Error',
      message: 'circular',
    })
    expect(logged(1n)).toBe('1n')
    expect(logged(undefined)).toBe('undefined')
    expect(logged('text')).toBe('text')
  })

  test('leaves out the parameters of a failed query', () => {
    const error = Object.assign(new Error('Failed query', { cause: new Error('locked') }), {
      params: ['secret'],
    })

    expect(logged(error)).toEqual({ type: 'Error', message: 'locked' })
  })
})
