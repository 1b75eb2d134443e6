import { expect, test } from 'bun:test'
import { kindOf } from '../../src/platform/kinds.ts'
import { KIND_SAMPLES } from '../support/kinds.ts'

const SAMPLES: typeof KIND_SAMPLES = [
  ...KIND_SAMPLES,
  ['Dockerfile', 'application/octet-stream', 'code'],
  ['my Dockerfile', 'application/octet-stream', 'other'],
  ['.bashrc', 'application/octet-stream', 'code'],
  ['.py', 'application/octet-stream', 'other'],
]

test('a name decides before the media type', () => {
  for (const [name, mimeType, kind] of SAMPLES)
    expect([name, kindOf({ name, mimeType })]).toEqual([name, kind])
})

test('a media type alone decides without a name', () => {
  expect(kindOf({ mimeType: 'video/mp2t' })).toBe('code')
  expect(kindOf({ mimeType: 'video/mp4' })).toBe('video')
})
