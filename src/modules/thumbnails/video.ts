import type { OpenedFile } from '../../store/bytes.ts'

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
/** Limits of one run. Memory is that of the address space, libraries included. */
const TIMEOUT_MS = 10_000
const CPU_SECONDS = 10
const MEMORY_KIB = 1024 ** 2
const MAX_FRAME_BYTES = 16 * 1024 ** 2
/** Seconds into a video whose frame is shown, unless it is shorter. */
const LATER = 2
/** Maximum width and height of a frame in pixels: that of the largest thumbnail. */
const EDGE = 1600
const SCALE = `scale='min(${EDGE},iw)':'min(${EDGE},ih)':force_original_aspect_ratio=decrease`

/** Sets the limits, which ffmpeg inherits. Short of memory, the system ends it first (proc(5), oom_score_adj). */
const LIMITED = `{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null
ulimit -v ${MEMORY_KIB} && ulimit -t ${CPU_SECONDS} && exec "$0" "$@"`

/** Finds ffmpeg on the `PATH`; null without. */
export const findFfmpeg = (): string | null => Bun.which('ffmpeg')

/** True when a file of this type may have a frame to show. */
export const isVideo = ({ mimeType, size }: { mimeType: string; size: number }): boolean =>
  mimeType in DEMUXERS && size > 0

interface Video {
  mimeType: string
  /** Opens the bytes; `undefined` when they are missing. */
  open: () => Promise<OpenedFile | undefined>
}

/** Returns a frame of a video as JPEG: an early one, or the first one. It is empty when ffmpeg finds none. */
export async function frameOf(ffmpeg: string, video: Video): Promise<Uint8Array<ArrayBuffer>> {
  for (const at of [LATER, 0]) {
    const opened = await video.open()
    const frame = opened ? await readFrame(ffmpeg, opened, { ...video, at }) : NO_FRAME
    if (frame.length > 0) return frame
  }
  return NO_FRAME
}

const NO_FRAME = new Uint8Array()

async function readFrame(
  ffmpeg: string,
  opened: OpenedFile,
  { mimeType, at }: { mimeType: string; at: number },
): Promise<Uint8Array<ArrayBuffer>> {
  const { descriptor, size } = opened
  if (descriptor === undefined && size > MAX_STREAMED_BYTES) {
    opened.close()
    return NO_FRAME
  }
  const input = descriptor === undefined ? 'pipe:0' : 'file:/dev/stdin'
  const child = Bun.spawn(['/bin/sh', '-c', LIMITED, ffmpeg, ...argumentsFor(input, mimeType, at)], {
    stdin: descriptor ?? opened.body(0, size - 1),
    stdout: 'pipe',
    stderr: 'ignore',
    // It has none of the secrets of this process.
    env: {},
    cwd: '/',
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_FRAME_BYTES,
  })
  // The child has a descriptor of its own.
  if (descriptor !== undefined) opened.close()
  const [bytes, exitCode] = await Promise.all([new Response(child.stdout).bytes(), child.exited])
  return exitCode === 0 ? new Uint8Array(bytes) : NO_FRAME
}

/** Returns the arguments for one frame, with no protocol but that of the input. */
function argumentsFor(input: 'pipe:0' | 'file:/dev/stdin', mimeType: string, at: number): string[] {
  const [protocol = ''] = input.split(':')
  const demuxer = DEMUXERS[mimeType] ?? ''
  return [
    ...['-nostdin', '-v', 'quiet', '-threads', '1', '-protocol_whitelist', protocol],
    ...['-f', demuxer, '-format_whitelist', demuxer, '-ss', String(at), '-i', input],
    ...['-map', '0:v:0', '-frames:v', '1', '-vf', SCALE],
    ...['-threads', '1', '-c:v', 'mjpeg', '-q:v', '3', '-f', 'image2pipe', 'pipe:1'],
  ]
}
