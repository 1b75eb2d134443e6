import { useQuery } from '@tanstack/react-query'
import type { ExpandedTags } from 'exifreader'
import { formatNumber } from '../../../language.ts'
import type { FileItem } from '../items.ts'
import { sourceOf } from './kind.ts'

/** Types of pictures that may have facts about how they were taken. */
const TYPES = /^image\/(jpeg|tiff|heic|heif|avif|webp|png)$/
/** Bytes that are read of a picture. Cameras write these facts at its beginning. */
const BEGINNING = 256 * 1024

/** Facts that a camera wrote into a picture, ready to be shown. */
export interface PictureFacts {
  /** Moment in the camera's own time, which has no zone. */
  taken?: Date | undefined
  camera?: string | undefined
  lens?: string | undefined
  exposure?: string | undefined
  dimensions?: string | undefined
  place?: { latitude: number; longitude: number } | undefined
}

/** Queries what a camera wrote into a picture; null for a file without it. */
export const usePictureFacts = (file: FileItem) =>
  useQuery({
    queryKey: ['picture-facts', file.id, file.updatedAt],
    queryFn: ({ signal }) => readFacts(file, signal),
    enabled: TYPES.test(file.mimeType) && file.size > 0,
    staleTime: Number.POSITIVE_INFINITY,
  })

async function readFacts(file: FileItem, signal: AbortSignal): Promise<PictureFacts | null> {
  const end = Math.min(file.size, BEGINNING) - 1
  const [response, { load }] = await Promise.all([
    fetch(sourceOf(file), { signal, headers: { Range: `bytes=0-${end}` } }),
    import('exifreader'),
  ])
  if (!response.ok) return null
  try {
    return factsOf(load(await response.arrayBuffer(), { expanded: true }))
  } catch {
    // It has none, or they are damaged.
    return null
  }
}

/** Returns the text of a tag without the zeroes and spaces that some cameras pad it with. */
const textOf = (tag: { description: unknown } | undefined): string =>
  // The library describes a tag without a format, such as the ISO speed, by its number.
  String(tag?.description ?? '')
    .replaceAll('\0', '')
    .trim()

function factsOf({ exif, gps, file, png }: ExpandedTags): PictureFacts {
  const [make, model] = [textOf(exif?.Make), textOf(exif?.Model)]
  const width = (file?.['Image Width'] ?? png?.['Image Width'])?.value
  const height = (file?.['Image Height'] ?? png?.['Image Height'])?.value
  const [time, speed] = [textOf(exif?.ExposureTime), textOf(exif?.ISOSpeedRatings)]
  const exposure = [
    time && `${time} s`,
    textOf(exif?.FNumber),
    textOf(exif?.FocalLength),
    speed && `ISO ${speed}`,
  ]
  return {
    taken: parseMoment(textOf(exif?.DateTimeOriginal)),
    // Most models begin with the maker.
    camera: (model.startsWith(make) ? model : `${make} ${model}`) || undefined,
    lens: textOf(exif?.LensModel) || undefined,
    exposure: exposure.filter((part) => part !== '').join(' · ') || undefined,
    dimensions: width && height ? `${formatNumber(width)} × ${formatNumber(height)}` : undefined,
    place:
      gps?.Latitude === undefined || gps.Longitude === undefined
        ? undefined
        : { latitude: gps.Latitude, longitude: gps.Longitude },
  }
}

/** Parses `2026:11:23 17:45:00` (Exif 2.32 §4.6.5). */
function parseMoment(text: string): Date | undefined {
  const [year = 0, month = 1, ...rest] = text.split(/[: ]/).map(Number)
  const [day = 1, hour = 0, minute = 0, second = 0] = rest
  const moment = new Date(year, month - 1, day, hour, minute, second)
  return year > 0 && !Number.isNaN(moment.getTime()) ? moment : undefined
}
