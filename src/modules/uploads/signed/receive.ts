import { refuseInvalid } from '../../../platform/errors.ts'
import { assertName, isRuleFile, joinKey } from '../../../platform/names.ts'
import { whileArriving } from '../../../reception/arriving.ts'
import { receiveBody } from '../../../reception/body.ts'
import { boundaryOf, MAX_PART_HEADER_BYTES, receiveForm, type SentFile } from '../../../reception/form.ts'
import { declaredLength, lastComponent, recordFailure, withStaging } from '../../../reception/receive.ts'
import { assertType } from '../../../reception/types.ts'
import { tooLarge } from '../../../store/bytes.ts'
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
  if (rules.name === undefined && isRuleFile(name))
    throw refuseInvalid(`The sender cannot choose the name "${name}"`)
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

/**
 * Receives the file of a link as the body of a request, or in a form, and publishes it.
 *
 * @param sent Name that was sent beside a body which is the file.
 */
export function receiveSigned(link: Link, request: Request, sent?: string): Promise<FileView> {
  if (request.method === 'POST') return receiveInForm(link, request)
  const { tree, caller, rules } = link
  const admit = async () => {
    const name = nameFor(link, sent)
    await assertReceivable(link, declaredLength(request), name)
    return name
  }
  const freed = rules.onConflict === 'replace' ? Number.POSITIVE_INFINITY : 0
  const terms = { request, freed, admit, admission: admissionOf(link), limits: limitsOf(link) }
  return receiveBody(tree, caller, terms, (staged, name) => store(link, { name, staged }))
}

function receiveInForm(link: Link, request: Request): Promise<FileView> {
  const { tree, caller } = link
  const length = declaredLength(request)
  let name: string | undefined
  const names = () => (name === undefined ? [] : [name])
  return recordFailure(tree, { caller, names }, async () => {
    const boundary = boundaryOf(request)
    await assertReceivable(link, Math.max(length - (MAX_FIELDS + 1) * MAX_PART_HEADER_BYTES, 0))
    return withStaging(tree, length, async (staging) => {
      const [file] = await whileArriving(tree, { length, ...admissionOf(link) }, (arriving) =>
        receiveForm(tree, {
          ...{ request, boundary, maxFields: MAX_FIELDS, fixedName: link.rules.name },
          readField: async ({ body }) => {
            for await (const _ of body);
          },
          receive: async (name, body, before) => {
            if (before.length > 0) throw refuseInvalid('This link accepts one file')
            await assertReceivable(link, 0, nameFor(link, name))
            return staging.receive(arriving.through(body), limitsOf(link))
          },
        }),
      )
      if (!file) throw refuseInvalid('The form must have one file')
      name = nameFor(link, file.name)
      await staging.sync()
      return store(link, { ...file, name })
    })
  })
}

async function store(link: Link, file: SentFile): Promise<FileView> {
  const { files } = await publish(link, file)
  const [row] = files
  if (!row) throw new Error('An upload by a link published nothing')
  const folder = await link.tree.store.read(() => folderOf(link))
  return fileView(row, joinKey(folder.join('/'), row.name))
}

const limitsOf = (link: Link) => ({ maxBytes: maxBytesOf(link), claim: link.tree.store.createClaim() })
