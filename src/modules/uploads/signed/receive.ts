import { refuseInvalid } from '../../../platform/errors.ts'
import { assertName, joinKey } from '../../../platform/names.ts'
import { type Arriving, whileArriving } from '../../../reception/arriving.ts'
import { checked, readDigests } from '../../../reception/digests.ts'
import { boundaryOf, MAX_PART_HEADER_BYTES, receiveForm, type SentFile } from '../../../reception/form.ts'
import {
  bodyOf,
  declaredLength,
  lastComponent,
  recordFailure,
  withStaging,
} from '../../../reception/receive.ts'
import { assertType } from '../../../reception/types.ts'
import { type Staging, tooLarge } from '../../../store/bytes.ts'
import { type FileView, fileView } from '../../../views/files.ts'
import { admissionOf, folderOf, type Link, publish } from './link.ts'

/** Maximum fields of a form beside its file. */
const MAX_FIELDS = 100

/** Returns the maximum bytes of the file of a link. */
export const maxBytesOf = ({ tree, rules }: Link): number =>
  Math.min(rules.maxBytes ?? Number.POSITIVE_INFINITY, tree.store.settings.current().maxUploadBytes)

/** Returns the name of the file of a link: the fixed one, or the last component of what was sent. */
export function nameFor({ rules }: Link, sent: string | undefined): string {
  const name = rules.name ?? lastComponent(sent ?? '')
  assertName(name, 'The file name')
  assertType({ types: rules.types ?? null }, name, 'link')
  return name
}

/** Refuses a file that could not be stored, before its bytes arrive. */
export async function assertReceivable(link: Link, bytes: number, name?: string): Promise<void> {
  const { tree, rules, userId } = link
  const { store } = tree
  if (bytes > maxBytesOf(link)) throw tooLarge(maxBytesOf(link))
  if (rules.onConflict !== 'replace') await store.quotas.assertRoom({ userId, bytes, isOfVisitors: true })
  if (name === undefined || rules.onConflict !== 'fail') return
  const folder = await store.read(() => folderOf(link))
  await store.assertPublishable({ folder, name, visibility: rules.visibility })
}

interface Sending {
  request: Request
  /** Name that was sent beside a body which is the file. */
  name: string | undefined
}

/** Receives the file of a link as the body of a request, or in a form, and publishes it. */
export async function receiveSigned(link: Link, { request, name }: Sending): Promise<FileView> {
  const { tree, caller } = link
  const isForm = request.method === 'POST'
  const length = declaredLength(request)
  let file: SentFile | undefined
  const names = () => (file ? [file.name] : [])
  return recordFailure(tree, { caller, names }, async () => {
    const boundary = isForm ? boundaryOf(request) : undefined
    const overhead = isForm ? (MAX_FIELDS + 1) * MAX_PART_HEADER_BYTES : 0
    await assertReceivable(link, Math.max(length - overhead, 0), isForm ? undefined : nameFor(link, name))
    return withStaging(tree, length, async (staging) => {
      file = await whileArriving(tree, { request, ...admissionOf(link) }, (arriving) =>
        boundary === undefined
          ? receiveBody(link, { request, name, staging, arriving })
          : receivePart(link, { request, boundary, staging, arriving }),
      )
      await staging.sync()
      const { files } = await publish(link, file)
      const [row] = files
      if (!row) throw new Error('An upload by a link published nothing')
      const folder = await tree.store.read(() => folderOf(link))
      return fileView(row, joinKey(folder.join('/'), row.name))
    })
  })
}

interface Receiving {
  request: Request
  staging: Staging
  arriving: Arriving
}

const limitsOf = (link: Link) => ({ maxBytes: maxBytesOf(link), claim: link.tree.store.createClaim() })

async function receiveBody(
  link: Link,
  { request, name: sent, staging, arriving }: Receiving & Pick<Sending, 'name'>,
): Promise<SentFile> {
  if (request.headers.has('content-range'))
    throw refuseInvalid('Send all of the file, without "Content-Range"')
  const { bytes, assertSame } = checked(bodyOf(request), readDigests(request.headers))
  const name = nameFor(link, sent)
  const staged = await staging.receive(arriving.through(bytes), limitsOf(link))
  assertSame(staged)
  return { name, staged }
}

async function receivePart(
  link: Link,
  { request, boundary, staging, arriving }: Receiving & { boundary: string },
): Promise<SentFile> {
  const [file, ...others] = await receiveForm(link.tree, {
    request,
    boundary,
    maxFields: MAX_FIELDS,
    fixedName: link.rules.name,
    readField: async ({ body }) => {
      for await (const _ of body);
    },
    receive: async (name, body, before) => {
      if (before.length > 0) throw refuseInvalid('This link accepts one file')
      await assertReceivable(link, 0, nameFor(link, name))
      return staging.receive(arriving.through(body), limitsOf(link))
    },
  })
  if (!file || others.length > 0) throw refuseInvalid('The form must have one file')
  return { ...file, name: nameFor(link, file.name) }
}
