import { expect, test } from 'bun:test'
import { sniff } from '../../src/dashboard/pages/files/preview/kind.ts'
import { makePng } from '../browser/png.ts'

const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'))
const boxed = (brands: string) => bytes(`\0\0\0${String.fromCharCode(8 + brands.length)}ftyp${brands}`)

test.each([
  ['a PNG', makePng(2, 2), 'image/png'],
  ['a JPEG', bytes('\xff\xd8\xff\xe0\0\x10JFIF'), 'image/jpeg'],
  ['a GIF', bytes('GIF89a\x01\0\x01\0'), 'image/gif'],
  ['a WebP', bytes('RIFF\x10\0\0\0WEBPVP8 '), 'image/webp'],
  ['a WAV', bytes('RIFF\x10\0\0\0WAVEfmt '), 'audio/wav'],
  ['a PDF', bytes('%PDF-1.7\n'), 'application/pdf'],
  ['an AVIF', boxed('avif\0\0\0\0mif1'), 'image/avif'],
  ['an AVIF of another main brand', boxed('mif1\0\0\0\0mif1avif'), 'image/avif'],
  ['an MP4', boxed('isom\0\0\x02\0isomiso2avc1mp41'), 'video/mp4'],
  ['an M4A', boxed('M4A \0\0\x02\0isom'), 'audio/mp4'],
  ['a WebM', bytes('\x1aE\xdf\xa3\x9fB\x86\x81\x01B\x82\x84webm'), 'video/webm'],
  ['an MP3 with a heading', bytes('ID3\x04\0\0'), 'audio/mpeg'],
  ['an MP3', bytes('\xff\xfb\x90\x64\0'), 'audio/mpeg'],
  ['an OGG', bytes('OggS\0\x02'), 'audio/ogg'],
  ['a FLAC', bytes('fLaC\0\0\0"'), 'audio/flac'],
  ['an SVG', bytes('<svg xmlns="http://www.w3.org/2000/svg"/>'), undefined],
  ['a page', bytes('<!doctype html>'), undefined],
  ['a ZIP', bytes('PK\x03\x04'), undefined],
  ['a text in UTF-16', bytes('\xff\xfeh\0i\0'), undefined],
  ['nothing', new Uint8Array(), undefined],
])('%s', (_, content, type) => {
  expect(sniff(content)?.type).toBe(type)
})
