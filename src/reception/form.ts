import type { TreeContext } from '../access/context.ts'
import { MultipartError, TooManyPartsError } from '../multipart/error.ts'
import { multipartBoundary } from '../multipart/header.ts'
import { type Part, readMultipart } from '../multipart/multipart.ts'
import { Refusal, refuseInvalid } from '../platform/errors.ts'
import { assertName } from '../platform/names.ts'
import type { StagedFile } from '../store/bytes.ts'
import { bodyOf, lastComponent } from './receive.ts'

/** Maximum bytes of the headers of a part. */
export const MAX_PART_HEADER_BYTES = 16 * 1024

/** Received file by the name that was sent, without the folders before it. */
export interface SentFile {
  name: string
  staged: StagedFile
}

/** Form with files, and what becomes of its parts. */
interface Form {
  request: Request
  boundary: string
  /** Maximum parts beside the files. */
  maxFields: number
  /** Name of the files, whatever was sent. */
  fixedName?: string | undefined
  /** Reads a field. */
  readField: (part: Part) => Promise<void>
  /** Stages the bytes of a file that follows the ones before. */
  receive: (name: string, body: Part['body'], before: readonly SentFile[]) => Promise<StagedFile>
}

/** Returns the boundary of a form. @throws {Refusal} `invalid` for a request with another type. */
export function boundaryOf({ headers }: Request): string {
  try {
    return multipartBoundary(headers.get('content-type'))
  } catch (error) {
    throw toRefusal(error)
  }
}

/**
 * Receives the files of a form, and ends when its body was read completely.
 *
 * @throws {Refusal} `invalid`, `too-large` for too many parts, and as `readField` and `receive`.
 */
export async function receiveForm(
  { config }: Pick<TreeContext, 'config'>,
  { request, boundary, maxFields, fixedName, readField, receive }: Form,
): Promise<SentFile[]> {
  const maxParts = config.maxFilesPerUpload + maxFields
  const files: SentFile[] = []
  try {
    const limits = { maxParts, maxHeaderBytes: MAX_PART_HEADER_BYTES }
    for await (const part of readMultipart(bodyOf(request), boundary, limits)) {
      if (part.filename === undefined) {
        await readField(part)
        continue
      }
      if (part.filename === '') {
        await skipNoFile(part)
        continue
      }
      const name = fixedName ?? lastComponent(part.filename)
      assertName(name, 'The file name')
      files.push({ name, staged: await receive(name, part.body, files) })
    }
  } catch (error) {
    throw toRefusal(error)
  }
  return files
}

/** Reads a part without a file name, as browsers send it for a choice of no file: it has no bytes. */
async function skipNoFile({ body }: Part): Promise<void> {
  for await (const chunk of body) if (chunk.length > 0) throw refuseInvalid('The file name must not be empty')
}

function toRefusal(error: unknown): unknown {
  if (error instanceof TooManyPartsError) return new Refusal('too-many', error.message)
  if (error instanceof MultipartError) return refuseInvalid(error.message)
  return error
}
