import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import type { Document } from '../../src/api/openapi/document.ts'
import { FILE, FOLDER, OTHER_ID, SHARE } from '../../src/api/openapi/samples.ts'
import { samplesOf } from '../../src/modules/docs/samples.ts'
import { apiOf } from '../support/api.ts'
import { createKey, type Holdfast, startHoldfast } from '../support/holdfast.ts'

/** Samples of the API's reference, run as a reader would: in an empty folder with the files that they name. */

const ROOT = join(import.meta.dir, '../..')
const USER = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery staple' }
/** Operations whose response has no end. */
const ENDLESS = ['watchChanges']
/** Samples that come first, each after what it needs. */
const FIRST = ['signUp', 'signIn', 'createFolder', 'uploadFiles']
/** Samples that take away what others need. */
const LAST = ['signIn', 'endSessions', 'setPassword', 'signOut', 'signIn', 'changePassword']

/** Samples whose examples name what a new instance lacks, by the status of their refusals: the same in each language. */
const REFUSED: Record<string, string> = {
  400:
    'addPasskey createInvitation createSite createUser generateBackupCodes getSignedUpload pollForKey ' +
    'setPassword signInByPasskey unlinkProvider',
  401: 'signInWithLink verifyBackupCode verifyTotp',
  404:
    'acceptInvitation addFavorites approveProgram askForDomain cancelFetch changeShare changeUser changeWebhook ' +
    'continueSharedUpload continueSignedUpload continueUpload deleteFolder deleteKey deletePasskey ' +
    'deleteSite deleteUser deleteVersion deleteWebhook denyProgram downloadFiles downloadVersion ' +
    'emptyTrash endShare endSharedUpload endSignedUpload endUpload finishSignInWithProvider ' +
    'getAskingProgram getSharedThumbnail getSharedUpload getThumbnail getUpload linkProvider ' +
    'listShareVisits listSiteMisses listWebhookDeliveries openInvitation postSigned putInTrash putSigned ' +
    'removeFavorites renameKey renamePasskey replaceFolder resetSecondFactor restoreFromTrash restoreVersion retryWebhookDelivery ' +
    'revokeInvitation setPasskeyAsSecondFactor setPeople setQuota showS3Credentials signInForwarded ' +
    'signInWithProvider signOutByProvider signSite testWebhook tryProvider',
  409: 'changeSite createUpload',
}
const refused = Object.entries(REFUSED).flatMap(([status, ids]) => ids.split(' ').map((id) => [id, status]))

/** Runs programs in a folder, named by operations. Each writes the status of its last response to a file. */
type Run = (folder: string, ids: readonly string[], environment: Record<string, string>) => Promise<void>

async function spawn(command: string[], cwd: string, environment: Record<string, string>): Promise<void> {
  const path = process.env['PATH'] ?? ''
  const child = Bun.spawn(command, {
    cwd,
    env: { PATH: path, HOME: cwd, ...environment },
    stdout: 'ignore',
    stderr: Bun.file(join(cwd, 'errors.txt')),
  })
  expect([await child.exited, readFileSync(join(cwd, 'errors.txt'), 'utf8')]).toEqual([0, ''])
}

const LANGUAGES: Record<string, { ending: string; run: Run }> = {
  curl: {
    ending: 'sh',
    run: async (folder, ids, environment) => {
      const lines = ids.map((id) => `sh ${id}.sh >/dev/null 2>${id}.status`)
      // Read from the home folder, so that the samples stay as they are.
      writeFileSync(join(folder, '.curlrc'), 'silent\nwrite-out = "%{stderr}%{http_code}"\n')
      await spawn(['sh', '-c', lines.join('\n')], folder, environment)
    },
  },
  TypeScript: {
    ending: 'ts',
    run: async (folder, ids, environment) => {
      const runner = `
const own = globalThis.fetch
let status = 0
globalThis.fetch = async (...given) => {
  const response = await own(...given)
  status = response.status
  return response
}
for (const id of ${JSON.stringify([...new Set(ids)])}) {
  status = 0
  const failure = await import('./' + id + '.ts').then(() => '', (error) => ('status' in error ? '' : String(error)))
  await Bun.write(id + '.status', failure || String(status))
}`
      writeFileSync(join(folder, 'runner.ts'), runner)
      await spawn([process.execPath, 'runner.ts'], folder, environment)
    },
  },
  Python: {
    ending: 'py',
    run: async (folder, ids, environment) => {
      const runner = `
import requests, warnings
warnings.simplefilter("ignore")
for id in ${JSON.stringify(ids)}:
    try:
        exec(compile(open(id + ".py").read(), id, "exec"), {"__name__": "__main__"} | (held := {}), held)
        told = str(held["response"].status_code)
    except requests.HTTPError as error:
        told = str(error.response.status_code)
    except Exception as error:
        told = repr(error)
    open(id + ".status", "w").write(told)
`
      writeFileSync(join(folder, 'runner.py'), runner)
      await spawn(['python3', 'runner.py'], folder, environment)
    },
  },
}

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Creates a folder with the files that samples send, and the client as a package. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-samples-'))
  folders.push(folder)
  writeFileSync(join(folder, 'harbour.jpg'), Buffer.alloc(FILE.size, 'harbour'))
  writeFileSync(
    join(folder, 'site.zip'),
    zipSync({ 'index.html': new TextEncoder().encode('<h1>Site</h1>') }),
  )
  const client = join(folder, 'node_modules/holdfast-client')
  mkdirSync(client, { recursive: true })
  writeFileSync(join(client, 'package.json'), '{ "name": "holdfast-client", "main": "index.ts" }')
  writeFileSync(join(client, 'index.ts'), `export * from '${join(ROOT, 'src/client/index.ts')}'\n`)
  return folder
}

async function documentOf(holdfast: Holdfast): Promise<Document> {
  return (await (await holdfast.fetch('/api/openapi.json')).json()) as Document
}

/** Returns the samples of all operations in a language, by the operations' ids. */
const samplesIn = (document: Document, label: string, address: string): Map<string, string> =>
  new Map(
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => {
        const call = { method: method.toUpperCase(), path, operation }
        const sample = samplesOf(call, address).find((one) => one.label === label)
        return [operation.operationId, sample?.code ?? ''] as const
      }),
    ),
  )

/** Returns the order of operations: reading, then changes, then what moves and removes, then other ways to sign in. */
const turnsOf = ({ paths }: Document): Map<string, number> =>
  new Map(
    Object.values(paths).flatMap((methods) =>
      Object.entries(methods).map(([method, { operationId, security, tags }]) => {
        const isOtherWay = method === 'post' && security.length === 0 && tags[0] === 'Signing in'
        const removes = method === 'delete' || /^(putIn|replaceFolder)/.test(operationId)
        const moves = /^(move|change)/.test(operationId)
        return [operationId, isOtherWay ? 4 : removes ? 3 : moves ? 2 : method === 'get' ? 0 : 1] as const
      }),
    ),
  )

/** Runs all samples of a language on a new server. @returns The status of the response to each. */
async function runAll(label: string): Promise<Record<string, string>> {
  const environment = { BASE_URL: '', RATE_LIMIT_API: '100000', RATE_LIMIT_UPLOADS: '100000' }
  await using holdfast = await startHoldfast({ environment, isAlone: true })
  const { ending, run } = LANGUAGES[label] ?? {}
  if (!ending || !run) throw new Error(`There is no language ${label}`)
  const folder = newFolder()
  const document = await documentOf(holdfast)
  const samples = samplesIn(document, label, holdfast.url)
  const write = (ids: readonly string[], told: Record<string, string>) => {
    for (const id of ids) {
      const code = Object.entries(told).reduce(
        (text, [example, real]) => text.replaceAll(example, real),
        samples.get(id) ?? '',
      )
      writeFileSync(join(folder, `${id}.${ending}`), code)
    }
  }
  const runSome = async (ids: readonly string[], told = {}, key = '') => {
    write(ids, told)
    await run(folder, ids, { HOLDFAST_KEY: key })
  }

  await runSome(['signUp', 'signIn'])
  const signedIn = await holdfast.fetch('/api/auth/sign-in/email', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(USER),
  })
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
  const scopes = ['files:read', 'files:write', 'files:delete']
  const key = await createKey(holdfast, cookie, { name: 'samples', scopes })
  await runSome(['createFolder', 'uploadFiles'], {}, key)
  const told = await prepare(holdfast, key)
  const rest = [...samples.keys()].filter((id) => ![...FIRST, ...LAST, ...ENDLESS].includes(id))
  const turns = turnsOf(document)
  await runSome([...rest.sort((a, b) => (turns.get(a) ?? 0) - (turns.get(b) ?? 0)), ...LAST], told, key)
  return Object.fromEntries(
    [...samples.keys()]
      .filter((id) => !ENDLESS.includes(id))
      .map((id) => [id, readFileSync(join(folder, `${id}.status`), 'utf8')]),
  )
}

/** Prepares what samples name beside the uploaded file. @returns Real values by the examples. */
async function prepare(holdfast: Holdfast, key: string): Promise<Record<string, string>> {
  const api = apiOf(holdfast, { withKey: { 'API-Key': key } })
  const { file } = await api.data<{ file: { id: string; folderId: string } }>('GET', `/files?key=${FILE.key}`)
  const folder = await api.createFolder('archive')
  const items = [{ fileId: file.id }]
  await api.data('POST', '/shares', { items, slug: 'samples', canWrite: true, folderId: folder.id })
  return { [FILE.id]: file.id, [OTHER_ID]: folder.id, [FOLDER.id]: file.folderId, [SHARE.slug]: 'samples' }
}

describe.each(Object.keys(LANGUAGES))('the samples for %s', (label) => {
  test('run, and get the response of their operation', async () => {
    const outcomes = await runAll(label)
    const odd = Object.entries(outcomes).filter(([, status]) => !/^[23]\d\d$/.test(status))

    expect(Object.fromEntries(odd)).toEqual(Object.fromEntries(refused))
  })
})

test('the samples for TypeScript are correct to the compiler', async () => {
  await using holdfast = await startHoldfast()
  const folder = newFolder()
  const samples = samplesIn(await documentOf(holdfast), 'TypeScript', 'http://localhost:3000')
  for (const [id, code] of samples) writeFileSync(join(folder, `${id}.ts`), code)
  const config = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      exactOptionalPropertyTypes: false,
      moduleDetection: 'force',
      typeRoots: [join(ROOT, 'node_modules/@types')],
      paths: { 'holdfast-client': [join(ROOT, 'src/client/index.ts')] },
    },
    include: ['*.ts', join(ROOT, 'drizzle/sql.d.ts')],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const command = [join(ROOT, 'node_modules/.bin/tsc'), '--noEmit', '-p', folder]
  const child = Bun.spawn(command, { cwd: folder, stdout: 'pipe' })
  const lines = (await new Response(child.stdout).text()).split('\n')

  // The sources of the server are stricter.
  expect(lines.filter((line) => /^\w+\.ts/.test(line))).toEqual([])
})
