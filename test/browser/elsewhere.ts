import { type Meta, Uppy } from '@uppy/core'
import Tus, { type TusBody } from '@uppy/tus'
import { Upload } from 'tus-js-client'
import { createClient, HoldfastError } from '../../src/client/index.ts'

interface Instance {
  url: string
  key: string
}

/** Uploads a file by Uppy, as `docs/api.md` shows. Returns its id. */
async function uploadByUppy({ url, key }: Instance, folder: string, content: File): Promise<string> {
  const uppy = new Uppy<Meta, TusBody>({ meta: { folder } }).use(Tus<Meta, TusBody>, {
    endpoint: `${url}/api/uploads`,
    headers: { 'API-Key': key },
    removeFingerprintOnSuccess: true,
    chunkSize: 100_000,
  })
  let id = ''
  uppy.on('upload-success', (_file, { body }) => {
    id = body?.xhr.getResponseHeader('Holdfast-File-Id') ?? ''
  })
  uppy.addFile(content)
  await uppy.upload()
  return id
}

/** Lists, uploads by form, tus and Uppy, downloads, and reads a refusal, in a page on another origin (`far-page.ts`). */
export async function useElsewhere({ url, key }: Instance) {
  const client = createClient({ url, key })
  const content = new File([new Uint8Array(300_000).fill(7)], 'ignored')
  const seen: number[] = []
  const onProgress = ({ loaded }: { loaded: number }) => seen.push(loaded)
  await client.files.upload([{ name: 'form.bin', content }], { folder: 'far', onProgress })
  await client.files.uploadResumable({ name: 'pieces.bin', content }, { folder: 'far' })
  const fileId = await new Promise<string | null>((resolve, reject) => {
    new Upload(content, {
      endpoint: `${url}/api/uploads`,
      headers: { 'API-Key': key },
      metadata: { filename: 'tus.bin', folder: 'far' },
      chunkSize: 100_000,
      retryDelays: null,
      onError: reject,
      onSuccess: ({ lastResponse }) => resolve(lastResponse.getHeader('Holdfast-File-Id') ?? null),
    }).start()
  })
  const varied = new File([Uint8Array.from({ length: 300_000 }, (_, at) => at % 251)], 'uppy é.bin')
  await uploadByUppy({ url, key }, 'far', varied)
  // The same content in another folder is another file.
  const again = await uploadByUppy({ url, key }, 'again', varied)
  const stored = await (await client.files.download(again)).arrayBuffer()
  const sent = new Uint8Array(await varied.arrayBuffer())
  const files = await Array.fromAsync(client.folders.files({ key: 'far' }))
  const download = await client.files.download(fileId ?? '', { from: 299_990 })
  const taken = await client.files.upload([{ name: 'form.bin', content }], { folder: 'far' }).catch((e) => e)
  return {
    names: files.map(({ name }) => name).sort(),
    isUppyEqual:
      sent.length === stored.byteLength && new Uint8Array(stored).every((byte, at) => byte === sent[at]),
    again: (await client.files.get({ id: again })).key,
    isFound: files.some(({ id }) => id === fileId),
    part: [...new Uint8Array(await download.arrayBuffer())].join(''),
    contentRange: download.headers.get('content-range'),
    hasProgress: seen.length > 0,
    code: taken instanceof HoldfastError ? taken.code : String(taken),
  }
}

Object.assign(globalThis, { useElsewhere })
