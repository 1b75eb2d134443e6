import { createHash } from 'node:crypto'
import type { Version as VersionView } from '../../src/client/types.ts'
import { ROOT } from './node.ts'
import { type Answer, jsonRequest, type Operation, refused } from './operation.ts'
import { type Destination, type Kind, seeChanged, short, shown, targetOf } from './writes.ts'

/** Returns true for a refusal because another request moves or deletes the same item, which changes nothing. */
const isBusy = ({ status, data }: Answer): boolean => {
  const { failed = [], message } = (data ?? {}) as { failed?: { message: string }[]; message?: string }
  const said = status === 503 ? message : failed[0]?.message
  return said?.startsWith('The item is still being moved or deleted') === true
}

export const moveToTrash = (kind: Kind, id: string): Operation => ({
  text: `move ${kind} ${short(id)} to the trash`,
  send: jsonRequest('POST', '/trash', { [`${kind}Ids`]: [id] }),
  apply: (tree, answer) => {
    if (isBusy(answer)) return tree
    const handle = tree.byId(kind, id)
    if (handle === undefined) return refused(tree, answer, 404)
    const { trashed = [] } = (answer.data ?? {}) as { trashed?: string[] }
    if (handle === ROOT) return trashed.length === 0 ? refused(tree, answer, 200) : undefined
    return answer.status === 200 && trashed[0] === id ? tree.moveToTrash(handle) : undefined
  },
})

export const restore = (id: string): Operation => ({
  text: `restore ${short(id)}`,
  send: jsonRequest('POST', '/trash/restore', { ids: [id] }),
  apply: (tree, answer) => {
    if (isBusy(answer)) return tree
    const back = tree.restore(id)
    if (back === 'missing') return refused(tree, answer, 404)
    const { restored = [] } = (answer.data ?? {}) as { restored?: { key: string }[] }
    if (back === 'conflict') return restored.length === 0 ? refused(tree, answer, 200) : undefined
    return restored[0]?.key === back.tree.keyOf(back.handle) ? back.tree : undefined
  },
})

/** Replaces a folder by another of the tree or of the trash. */
export const swap = (id: string, replaces: string): Operation => ({
  text: `replace folder ${short(replaces)} by ${short(id)}`,
  send: jsonRequest('POST', '/folders/replace', { id, replaces }),
  apply: (tree, answer) => {
    if (isBusy(answer)) return tree
    if (tree.trashedKind(id) === 'file') return refused(tree, answer, 400)
    const old = tree.byId('folder', replaces)
    if (old === undefined) return refused(tree, answer, 404)
    if (old === ROOT) return refused(tree, answer, 400)
    if (tree.trashedKind(id) === undefined) {
      const handle = tree.byId('folder', id)
      if (handle === undefined) return refused(tree, answer, 404)
      const isIn = (at: number, around: number) => tree.below(around).some(([below]) => below === at)
      if (isIn(old, handle)) return refused(tree, answer, 400)
    }
    const next = tree.swap(id, old)
    return next && seeChanged(next.tree, 'folder', next.handle, answer)
  },
})

interface Copied {
  copied?: { id: string; name: string; key: string }[]
  failed?: { message: string }[]
}

/**
 * Copies a file or folder. The server reads the original at one moment and adds the copy at a later one, both during
 * the request.
 */
export const copy = (kind: Kind, id: string, to: Destination): Operation => ({
  text: `copy ${kind} ${short(id)} to ${shown(to)}`,
  send: jsonRequest('POST', '/files/copy', { [`${kind}Ids`]: [id], ...to }),
  apply: (tree, answer) => {
    const handle = tree.byId(kind, id)
    const target = targetOf(tree, to)
    if (handle === undefined || target === 404) if (answer.status === 404) return tree
    if (target === 409 && answer.status === 409) return tree
    const { failed } = (answer.data ?? {}) as Copied
    if (answer.status !== 200 || !failed?.[0]) return undefined
    const { message } = failed[0]
    const isOfAnotherMoment = message.includes('meanwhile') || message.includes('came between')
    return isOfAnotherMoment || handle === ROOT || typeof target === 'number' ? tree : undefined
  },
  split: (answer) => {
    const [made] = ((answer.data ?? {}) as Copied).copied ?? []
    if (!made) return [[copy(kind, id, to), answer]]
    return [
      [take(kind, id, made.id), answer],
      [addCopy(to, made), answer],
    ]
  },
})

const take = (kind: Kind, id: string, copyId: string): Operation => ({
  text: `read ${kind} ${short(id)} to copy it`,
  send: noRequest,
  apply: (tree) => {
    const handle = tree.byId(kind, id)
    return handle === undefined || handle === ROOT ? undefined : tree.takeCopy(handle, copyId)
  },
})

const addCopy = (
  to: Destination,
  { id, name, key }: { id: string; name: string; key: string },
): Operation => ({
  text: `add copy ${short(id)} as ${name} to ${shown(to)}`,
  send: noRequest,
  apply: (tree) => {
    const target = targetOf(tree, to)
    if (typeof target === 'number') return undefined
    const next = target.tree.addCopy(id, { parent: target.handle, name })
    return next && next.tree.keyOf(next.handle) === key ? next.tree.bind(next.handle, id) : undefined
  },
})

const noRequest = () => Promise.reject(new Error('A part of a request is not sent'))

const sha256 = (content: string) => createHash('sha256').update(content).digest('hex')

export const listVersions = (id: string): Operation => ({
  text: `versions of file ${short(id)}`,
  send: jsonRequest('GET', `/files/versions?id=${id}`),
  apply: (tree, answer) => {
    const handle = tree.byId('file', id)
    const file = tree.fileById(id)
    if (handle === undefined || !file) return refused(tree, answer, 404)
    const { versions } = (answer.data ?? {}) as { versions?: VersionView[] }
    if (answer.status !== 200 || versions?.length !== file.versions.length) return undefined
    const isRight = versions.every(({ sha256: sum }, at) => sum === sha256(file.versions[at]?.content ?? ''))
    return isRight
      ? tree.bindVersions(
          handle,
          versions.map((version) => version.id),
        )
      : undefined
  },
})

/** Restores a file's bytes from one of its versions. */
export const restoreVersion = (id: string): Operation => ({
  text: `restore version ${short(id)}`,
  send: jsonRequest('POST', '/files/versions/restore', { id }),
  apply: (tree, answer) => {
    const found = tree.version(id)
    if (!found) return refused(tree, answer, 404)
    return seeChanged(tree.replace(found.handle, found.content), 'file', found.handle, answer)
  },
})

export const versionsIn = ({ status, data }: Answer): string[] =>
  status === 200 ? ((data ?? {}) as { versions: VersionView[] }).versions.map(({ id }) => id) : []

export const copiesIn = ({ data }: Answer): string[] =>
  (((data ?? {}) as Copied).copied ?? []).map(({ id }) => id)
