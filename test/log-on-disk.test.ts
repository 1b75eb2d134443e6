import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { eventually } from './support/eventually.ts'
import { spawnHoldfast } from './support/process.ts'

const linesOf = (output: string): Record<string, unknown>[] =>
  output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

test('a line names the request that failed', async () => {
  await using holdfast = await spawnHoldfast({ environment: { LOG_FORMAT: 'json' } })
  rmSync(`${holdfast.dataPath}/uploads`, { recursive: true })
  await Bun.write(`${holdfast.dataPath}/uploads`, 'a file')

  const response = await holdfast.fetch('/api/health')

  expect(response.status).toBe(503)
  await eventually(() => holdfast.output().includes('ENOTDIR'))
  expect(linesOf(holdfast.output()).at(-1)).toMatchObject({
    level: 'error',
    requestId: response.headers.get('x-request-id'),
    method: 'GET',
    path: '/api/health',
    err: { message: expect.stringContaining('ENOTDIR') },
  })
})
