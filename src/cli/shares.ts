import { renderUnicodeCompact } from 'uqr'
import { type HoldfastClient, type Share, type ShareFields, splitTypes } from '../client/index.ts'
import { count } from '../platform/amounts.ts'
import { connect } from './account.ts'
import { Failure, UsageFailure } from './failure.ts'
import { find, findFolder } from './find.ts'
import { askForSecret } from './login.ts'
import { type Remote, tidy } from './remote.ts'

interface Rules {
  title?: string
  note?: string
  slug?: string
  /** True to ask for a password. */
  password: boolean
  /** Lifetime in seconds. */
  expires?: number
  /** True to print a QR code. */
  qr: boolean
}

export interface ShareOptions extends Rules {
  downloads?: number
}

export interface DropBoxOptions extends Rules {
  /** Maximum number of files. */
  files?: number
  /** Maximum bytes of all files. */
  size?: number
  types?: string[]
}

/** Shares files and folders and prints the link: `share <keys...>`. */
export async function share(
  remote: Remote,
  keys: readonly string[],
  { downloads, ...rules }: ShareOptions,
): Promise<number> {
  const client = connect(remote.environment)
  const items: NonNullable<ShareFields['items']> = []
  for (const key of keys) {
    const found = await find(client, key)
    items.push('file' in found ? { fileId: found.file.id } : { folderId: found.folder.id })
  }
  return publish(remote, client, rules, {
    items,
    ...(downloads !== undefined && { maxDownloads: downloads }),
  })
}

/** Makes a share that takes files into a folder, and prints the link: `dropbox <folder>`. */
export async function dropBox(
  remote: Remote,
  key: string,
  { files, size, types, ...rules }: DropBoxOptions,
): Promise<number> {
  if (tidy(key) === '') throw new UsageFailure('The root cannot be a drop box: name a folder')
  const client = connect(remote.environment)
  const { id: folderId } = (await findFolder(client, key)) ?? (await client.folders.create(tidy(key)))
  return publish(remote, client, rules, {
    canRead: false,
    canWrite: true,
    folderId,
    ...(files !== undefined && { maxFiles: files }),
    ...(size !== undefined && { maxBytes: size }),
    ...(types !== undefined && { types: splitTypes(types.join()) }),
  })
}

async function publish(
  { terminal, now }: Remote,
  client: HoldfastClient,
  { password, expires, qr, ...texts }: Rules,
  fields: ShareFields,
): Promise<number> {
  const secret = { message: 'Password for visitors', canceled: 'Nothing was shared' }
  const share = await client.shares.create({
    ...fields,
    ...texts,
    ...(password && { password: await askForSecret(terminal, secret) }),
    ...(expires !== undefined && { expiresAt: new Date(now() + expires * 1000).toISOString() }),
  })
  const url = client.urlOf(share)
  await terminal.print(url)
  if (share.expiresAt !== null) terminal.warn(`Expires ${share.expiresAt}`)
  if (qr) for (const line of renderUnicodeCompact(url).split('\n')) terminal.warn(line)
  return 0
}

/** Prints the caller's shares, newest first: `shares`. */
export async function listShares(
  { environment, terminal }: Remote,
  { json }: { json: boolean },
): Promise<number> {
  const client = connect(environment)
  for (const row of await client.shares.list())
    await (json ? terminal.printJson(row) : terminal.print(`${client.urlOf(row)}  ${described(row)}`))
  return 0
}

/** Describes a share in a line: title or items, then its counts and rules. */
function described({ title, items, folderName, canWrite, ...rules }: Share): string {
  const names = items.map(({ name }) => name ?? '(in the trash)').join(', ')
  const downloads = count(rules.downloads, 'download')
  return [
    title ?? (names || ['drop box', folderName].filter(Boolean).join(': ')),
    rules.maxDownloads === null
      ? downloads
      : `${rules.downloads} of ${count(rules.maxDownloads, 'download')}`,
    canWrite && `${count(rules.receivedFiles, 'file')} received`,
    rules.reservedFiles > 0 && `${count(rules.reservedFiles, 'file')} unfinished`,
    rules.hasPassword && 'password',
    rules.expiresAt !== null && `expires ${rules.expiresAt}`,
  ]
    .filter(Boolean)
    .join('; ')
}

/** Ends shares: `unshare <links...>`. */
export async function unshare({ environment }: Remote, links: readonly string[]): Promise<number> {
  const client = connect(environment)
  const shares = await client.shares.list()
  // All links are resolved first, so that a typo ends nothing.
  const ids = links.map((link) => {
    const found = shares.find(({ slug }) => slug === link.slice(link.lastIndexOf('/') + 1))
    if (!found) throw new Failure(`You have no share "${link}"`)
    return found.id
  })
  for (const id of new Set(ids)) await client.shares.end(id)
  return 0
}
