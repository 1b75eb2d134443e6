import type { Kind } from '../../src/platform/kinds.ts'

const UNKNOWN = 'application/octet-stream'

/** Names with the media types that they have, and their kinds. */
export const KIND_SAMPLES: readonly [name: string, mimeType: string, kind: Kind][] = [
  ['k.py', UNKNOWN, 'code'],
  ['k.go', UNKNOWN, 'code'],
  ['k.rb', UNKNOWN, 'code'],
  ['K.RS', UNKNOWN, 'code'],
  ['k.vue', UNKNOWN, 'code'],
  ['k.zig', UNKNOWN, 'code'],
  ['k.lua', 'text/x-lua', 'code'],
  ['k.toml', 'application/toml', 'code'],
  ['k.tsx', UNKNOWN, 'code'],
  ['k.ts', 'video/mp2t', 'code'],
  ['k.M2TS', 'video/mp2t', 'video'],
  ['k.mp4', 'video/mp4', 'video'],
  ['k.ogg', 'audio/ogg', 'audio'],
  ['k.svg', 'image/svg+xml', 'image'],
  ['k.md', 'text/markdown', 'document'],
  ['k.txt', 'text/plain', 'document'],
  ['k.pdf', 'application/pdf', 'document'],
  ['k.html', 'text/html', 'code'],
  ['k.json', 'application/json', 'code'],
  ['k.zip', 'application/zip', 'archive'],
  ['k', UNKNOWN, 'other'],
  // No letter of Kotlin: the sign of the unit kelvin.
  ['k.\u212at', UNKNOWN, 'other'],
  ['kpy', UNKNOWN, 'other'],
  ['k.py.bin', UNKNOWN, 'other'],
]
