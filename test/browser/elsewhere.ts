import { Upload } from 'tus-js-client'
import { createClient, HoldfastError } from '../../src/client/index.ts'

/** Lists, uploads by form and by tus, downloads, and reads a refusal, in a page on another origin (`far-page.ts`). */
export async function useElsewhere({ url, key }: { url: string; key: string }) {
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
  const files = await Array.fromAsync(client.folders.files({ key: 'far' }))
  const download = await client.files.download(fileId ?? '', { from: 299_990 })
  const taken = await client.files.upload([{ name: 'form.bin', content }], { folder: 'far' }).catch((e) => e)
  return {
    names: files.map(({ name }) => name).sort(),
    isFound: files.some(({ id }) => id === fileId),
    part: [...new Uint8Array(await download.arrayBuffer())].join(''),
    contentRange: download.headers.get('content-range'),
    hasProgress: seen.length > 0,
    code: taken instanceof HoldfastError ? taken.code : String(taken),
  }
}

Object.assign(globalThis, { useElsewhere })
