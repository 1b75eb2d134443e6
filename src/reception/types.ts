import { Refusal, refuseInvalid } from '../platform/errors.ts'
import { mediaType } from '../store/bytes.ts'

const MAX_TYPES = 50
const TYPE = /^(\.[a-z0-9][a-z0-9.]{0,30}|[a-z]+\/(\*|[a-z0-9][a-z0-9.+-]{0,100}))$/

/**
 * Parses the types that a drop box or an upload link accepts: media types, such as `image/*`, and extensions.
 *
 * @throws {Refusal} `invalid`.
 */
export function readTypes(sent: readonly string[]): string[] {
  const types = [...new Set(sent.map((type) => type.trim().toLowerCase()))]
  if (types.length > MAX_TYPES) throw refuseInvalid(`"types" must have at most ${MAX_TYPES} values`)
  if (types.every((type) => TYPE.test(type))) return types
  throw refuseInvalid('"types" must have media types such as image/*, or extensions such as .pdf')
}

/** Asserts that a file's name is of an accepted type. @throws {Refusal} `unsupported-media-type`. */
export function assertType(
  { types }: { types: readonly string[] | null },
  name: string,
  place: 'share' | 'link',
): void {
  if (types === null) return
  const [lower, type] = [name.toLowerCase(), mediaType(name)]
  const isTaken = types.some((taken) => {
    if (taken.startsWith('.')) return lower.endsWith(taken)
    return taken.endsWith('/*') ? type.startsWith(taken.slice(0, -1)) : type === taken
  })
  if (!isTaken)
    throw new Refusal(
      'type-not-accepted',
      `This ${place} only accepts ${types.join(', ')}, so it refuses "${name}"`,
    )
}
