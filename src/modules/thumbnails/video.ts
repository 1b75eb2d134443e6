import type { OpenedFile, Output } from '../../store/bytes.ts'
import { NO_OUTPUT, type RunChild } from './child.ts'

/** Demuxers by the type of a video. ffmpeg tries no other one, so a file cannot pass for a list of other files. */
const DEMUXERS: Record<string, string> = {
  'video/mp4': 'mov',
  'video/x-m4v': 'mov',
  'video/quicktime': 'mov',
  'video/3gpp': 'mov',
  'video/3gpp2': 'mov',
  'video/webm': 'matroska',
  'video/x-matroska': 'matroska',
  'video/x-msvideo': 'avi',
  'video/ogg': 'ogg',
}

/** Maximum bytes of a video that has to be streamed. From one on this disk, ffmpeg reads only what it needs. */
const MAX_STREAMED_BYTES = 64 * 1024 ** 2
const MAX_FRAME_BYTES = 16 * 1024 ** 2
/** Seconds into a video whose frame is shown, unless it is shorter. */
const LATER = 2
/** Maximum width and height of a frame in pixels: that of the largest thumbnail. */
const EDGE = 1600
const SCALE = `scale='min(${EDGE},iw)':'min(${EDGE},ih)':force_original_aspect_ratio=decrease`

/**
 * Decoders that ffmpeg may use: of what browsers play and phones record. It has hundreds of others, for formats that
 * nothing else opens any more, and attackers find their faults there.
 */
const DECODERS = [
  ...['h264', 'hevc', 'vp8', 'vp9', 'av1', 'libdav1d', 'libaom-av1'],
  ...['mpeg4', 'mjpeg', 'theora', 'h263'],
]

/** Finds ffmpeg on the `PATH`; null without. */
export const findFfmpeg = (): string | null => Bun.which('ffmpeg')

/** Returns the demuxer for files of a type; undefined when it is no video with a frame to show. */
export const demuxerOf = (mimeType: string): string | undefined => DEMUXERS[mimeType]

interface Video {
  /** Path of the program. */
  ffmpeg: string
  demuxer: string
  /** Opens the bytes; `undefined` when they are missing. */
  open: () => Promise<OpenedFile | undefined>
}

/** Returns a frame of a video as JPEG: an early one, or the first one. It is empty when ffmpeg finds none. */
export async function frameOf(run: RunChild, { ffmpeg, demuxer, open }: Video): Promise<Output> {
  let frame = NO_OUTPUT
  for (const at of [LATER, 0]) {
    const opened = await open()
    if (opened) frame = await readFrame(run, opened, (input) => [ffmpeg, ...argumentsFor(input, demuxer, at)])
    if (frame.bytes.length > 0 || frame.wasEnded) break
  }
  return frame
}

type Input = 'pipe:0' | 'file:/dev/stdin'

async function readFrame(
  run: RunChild,
  opened: OpenedFile,
  commandFor: (input: Input) => string[],
): Promise<Output> {
  const { descriptor, size } = opened
  if (descriptor === undefined && size > MAX_STREAMED_BYTES) {
    opened.close()
    return NO_OUTPUT
  }
  const command = commandFor(descriptor === undefined ? 'pipe:0' : 'file:/dev/stdin')
  try {
    const stdin = descriptor ?? opened.body(0, size - 1)
    return await run(command, { stdin, maxBuffer: MAX_FRAME_BYTES })
  } finally {
    // A stream closes by itself.
    if (descriptor !== undefined) opened.close()
  }
}

/** Returns the arguments for one frame, with no protocol but that of the input. */
function argumentsFor(input: Input, demuxer: string, at: number): string[] {
  const [protocol = ''] = input.split(':')
  return [
    ...['-nostdin', '-v', 'quiet', '-threads', '1', '-protocol_whitelist', protocol],
    ...['-codec_whitelist', DECODERS.join()],
    ...['-f', demuxer, '-format_whitelist', demuxer, '-ss', String(at), '-i', input],
    ...['-map', '0:v:0', '-frames:v', '1', '-vf', SCALE],
    ...['-threads', '1', '-c:v', 'mjpeg', '-q:v', '3', '-f', 'image2pipe', 'pipe:1'],
  ]
}
