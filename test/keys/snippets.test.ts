import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as T from 'typebox'
import { Value } from 'typebox/value'
import { shareXFileName, snippets, waysFor } from '../../src/dashboard/pages/keys/snippets.ts'
import { withHoldfast } from '../support/fixture.ts'
import { dataOf, postJson } from '../support/holdfast.ts'
import { rawS3, type S3Keys, textsIn } from '../support/s3.ts'

const ALL = ['files:read', 'files:write', 'files:delete']

/** Working directory with a photo to upload. */
let folder: string
const holdfast = withHoldfast()
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-snippets-'))
  writeFileSync(join(folder, 'photo.jpg'), 'a photo')
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
})

let keys = 0
async function createBoth(body: { name: string; scopes: string[] }) {
  const response = await postJson(holdfast, '/api/keys', body, { Cookie: holdfast.cookie })
  const { key, s3 } = await dataOf<{ key: { key: string }; s3: S3Keys }>(response)
  return { secret: key.key, s3 }
}

async function credentials(scopes: string[]) {
  keys += 1
  return {
    origin: holdfast.url,
    ...(await createBoth({ name: `key ${keys}`, scopes })),
    scopes,
  }
}

async function run(command: string[]): Promise<string> {
  const ran = Bun.spawn(command, { cwd: folder, stdout: 'pipe', stderr: 'pipe' })
  const [output, problems] = [await new Response(ran.stdout).text(), await new Response(ran.stderr).text()]
  if ((await ran.exited) !== 0) throw new Error(problems)
  return output.trim()
}

const runScript = (code: string) => {
  writeFileSync(join(folder, 'example.mjs'), code)
  return run([process.execPath, 'example.mjs'])
}

const contentAt = async (url: string) => (await fetch(url)).text()

/** Removes what an example has uploaded, for the next one. */
async function removePhoto(): Promise<void> {
  const { secret } = await credentials(ALL)
  const headers = { 'API-Key': secret }
  const found = await holdfast.fetch('/api/files?key=photo.jpg', { headers })
  const { data } = (await found.json()) as { data: { file: { id: string } } }
  await holdfast.fetch('/api/files', {
    method: 'DELETE',
    headers,
    body: JSON.stringify({ id: data.file.id }),
  })
}

describe('the examples', () => {
  test('the command uploads', async () => {
    const output = await run(['sh', '-c', `${snippets.curl(await credentials(['files:write']))} -sS`])

    expect(JSON.parse(output)).toMatchObject({ data: { files: [{ key: 'photo.jpg' }] }, error: null })
    await removePhoto()
  })

  test('the script uploads and prints the link', async () => {
    const link = await runScript(snippets.javascript(await credentials(['files:write'])))

    expect(await contentAt(link)).toBe('a photo')
    await removePhoto()
  })

  test('both list files with a key that can only read', async () => {
    const reader = await credentials(['files:read'])

    expect(JSON.parse(await run(['sh', '-c', `${snippets.curl(reader)} -sS`]))).toMatchObject({ error: null })
    expect(await runScript(snippets.javascript(reader))).toBe('')
    expect(waysFor(reader)).toEqual(['curl', 'webdav', 's3', 'javascript'])
  })

  test('the settings of S3 open the files', async () => {
    await holdfast.api.createFolder('photos')
    const settings = snippets.s3(await credentials(['files:read']))
    const lineOf = (name: string) => new RegExp(`^${name}: +(.+)$`, 'm').exec(settings)?.[1] ?? ''
    const s3 = { accessKeyId: lineOf('Access key ID'), secretAccessKey: lineOf('Secret access key') }
    const buckets = await rawS3({ url: lineOf('Endpoint') }, s3)('/')

    expect(textsIn(await buckets.text(), 'Name')).toEqual(['photos'])
  })

  test('the settings of WebDAV open the files', async () => {
    const settings = snippets.webdav(await credentials(['files:read']))
    const lineOf = (name: string) => new RegExp(`^${name}: +(.+)$`, 'm').exec(settings)?.[1] ?? ''

    const credential = Buffer.from(`${lineOf('User')}:${lineOf('Password')}`).toString('base64')
    const headers = { Authorization: `Basic ${credential}`, Depth: '0' }
    expect((await fetch(lineOf('Address'), { method: 'PROPFIND', headers })).status).toBe(207)
  })

  test('both ask for the id of a file with a key that can only delete', async () => {
    const deleter = await credentials(['files:delete'])

    const output = await run(['sh', '-c', `${snippets.curl(deleter)} -sS`])

    expect(JSON.parse(output)).toMatchObject({ error: { message: 'File not found' } })
    await expect(runScript(snippets.javascript(deleter))).rejects.toThrow('File not found')
  })
})

/** https://getsharex.com/docs/custom-uploader; ShareX takes other values of these for their defaults. */
const Destination = '(ImageUploader|TextUploader|FileUploader|URLShortener|URLSharingService)'
const ShareXConfig = T.Object(
  {
    Version: T.String({ pattern: '^\\d+\\.\\d+\\.\\d+$' }),
    Name: T.String(),
    DestinationType: T.String({ pattern: `^${Destination}(, ${Destination})*$` }),
    RequestMethod: T.Union(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => T.Literal(method))),
    RequestURL: T.String({ pattern: '^https?://' }),
    Parameters: T.Optional(T.Record(T.String(), T.String())),
    Headers: T.Optional(T.Record(T.String(), T.String())),
    Body: T.Union(
      ['MultipartFormData', 'FormURLEncoded', 'JSON', 'XML', 'Binary'].map((body) => T.Literal(body)),
    ),
    Arguments: T.Optional(T.Record(T.String(), T.String())),
    FileFormName: T.String({ minLength: 1 }),
    URL: T.String(),
    ThumbnailURL: T.Optional(T.String()),
    DeletionURL: T.Optional(T.String()),
    ErrorMessage: T.Optional(T.String()),
  },
  { additionalProperties: false },
)

/** Fills `{json:path}` in a text from a response, as ShareX does. Paths are those of Json.NET. */
const fillIn = (text: string, answer: unknown) =>
  text.replace(/\{json:([^}]*)\}/g, (_, path: string) =>
    String(
      path
        .split(/[.[\]]+/)
        .filter((part) => part !== '')
        .reduce<unknown>((value, part) => Object(value)[part], answer),
    ),
  )

describe('the file for ShareX', () => {
  test('has the documented form, and a name that ShareX opens', async () => {
    const s3 = { accessKeyId: '', secretAccessKey: '' }
    const made = { origin: 'https://files.example.com:8443', secret: 'hf_1', scopes: ALL, s3 }

    const config: unknown = JSON.parse(snippets.sharex(made))

    expect([...Value.Errors(ShareXConfig, config)]).toEqual([])
    expect(shareXFileName(made)).toBe('files.example.com.sxcu')
  })

  test('uploads like ShareX, and returns the link or the reason', async () => {
    const config = JSON.parse(snippets.sharex(await credentials(['files:write'])))
    const send = async () => {
      const body = new FormData()
      // ShareX puts the year and the month there.
      for (const [name, value] of Object.entries<string>(config.Arguments))
        body.append(name, value.replace('%y', '2026').replace('%mo', '03'))
      body.append(config.FileFormName, new File(['a screenshot'], 'aB3xY.png'))
      const response = await fetch(config.RequestURL, {
        method: config.RequestMethod,
        headers: config.Headers,
        body,
      })
      return response.json()
    }

    const url = fillIn(config.URL, await send())
    const reason = fillIn(config.ErrorMessage, await send())

    expect(new URL(url).pathname).toBe('/api/hosting/ShareX/2026-03/aB3xY.png')
    expect(await contentAt(url)).toBe('a screenshot')
    expect(reason).toContain('exists')
  })
})
