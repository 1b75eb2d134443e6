import { textOf, type XmlElement } from '../../xml/read.ts'
import { readRoot } from './delete.ts'
import { S3Error } from './errors.ts'
import { MAX_PARTS } from './parts.ts'
import { CHECKSUM_ALGORITHMS, type Checksums } from './sums.ts'

/** Part that becomes part of the object, as its client knows it. */
export interface Chosen {
  number: number
  /** Entity tag without quotes. */
  etag: string
  checksums: Checksums
}

/**
 * Reads the parts of a request that completes an upload. Of a part that is listed twice, because it was sent twice, the last
 * one counts.
 *
 * @throws {S3Error} `MalformedXML`, `InvalidPartOrder`.
 */
export function readChosen(document: string): Chosen[] {
  const parts = elementsOf(readRoot(document, 'CompleteMultipartUpload'), 'Part').map(readPart)
  if (parts.length === 0 || parts.length > MAX_PARTS) throw new S3Error('MalformedXML')
  const chosen = new Map<number, Chosen>()
  let last = 0
  for (const part of parts) {
    if (part.number < last) throw new S3Error('InvalidPartOrder')
    last = part.number
    chosen.set(last, part)
  }
  return [...chosen.values()]
}

/** Clients name the namespace of S3, or none. */
const elementsOf = ({ children }: XmlElement, name: string): XmlElement[] =>
  children.filter((child) => typeof child !== 'string').filter((child) => child.name === name)

function readPart(part: XmlElement): Chosen {
  const textIn = (name: string) => {
    const [found] = elementsOf(part, name)
    return found && textOf(found).trim()
  }
  const number = textIn('PartNumber') ?? ''
  const etag = textIn('ETag')
  if (!/^\d{1,5}$/.test(number) || etag === undefined) throw new S3Error('MalformedXML')
  const checksums: Checksums = {}
  for (const algorithm of CHECKSUM_ALGORITHMS) {
    const value = textIn(`Checksum${algorithm}`)
    if (value !== undefined) checksums[algorithm] = value
  }
  return { number: Number(number), etag: etag.replaceAll('"', ''), checksums }
}
