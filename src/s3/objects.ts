import { encodePath } from '../sigv4/sigv4.ts'
import { brokenResponse } from './error.ts'
import { elementsOf, textOf, type XmlElement } from './xml.ts'

/** Object as a list shows it. */
export interface S3Object {
  key: string
  /** Length in bytes. */
  size: number
  /** Milliseconds since 1970. */
  lastModified: number
}

/** Returns the value of `x-amz-copy-source`. */
export const copySource = (bucket: string, key: string): string => encodePath(`${bucket}/${key}`)

/** Reads one page of a list, and the token of the next if there is one. @throws {S3Error} */
export function readObjects(list: XmlElement): { objects: S3Object[]; next: string | undefined } {
  const isEncoded = textOf(list, 'EncodingType') === 'url'
  const objects = elementsOf(list, 'Contents').map((element) => ({
    key: decodeKey(requireText(element, 'Key'), isEncoded),
    size: readSize(requireText(element, 'Size')),
    lastModified: readTime(requireText(element, 'LastModified')),
  }))
  if (textOf(list, 'IsTruncated') !== 'true') return { objects, next: undefined }
  return { objects, next: requireText(list, 'NextContinuationToken') }
}

/** Returns the text of an element that must exist. @throws {S3Error} */
export function requireText(element: XmlElement, name: string): string {
  const text = textOf(element, name)
  if (text === undefined || text === '') throw brokenResponse('GET', `no ${name} in the XML`)
  return text
}

/** Decodes a key of a list in the encoding `url`, in which a space is `+`. */
export function decodeKey(key: string, isEncoded: boolean): string {
  if (!isEncoded) return key
  try {
    return decodeURIComponent(key.replaceAll('+', ' '))
  } catch {
    throw brokenResponse('GET', 'a key with a wrong encoding')
  }
}

export function readSize(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw brokenResponse('GET', 'a size that is no number')
  return Number(text)
}

export function readTime(text: string): number {
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw brokenResponse('GET', 'a time that is no date')
  return time
}
