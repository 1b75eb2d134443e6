import type { Bench } from './bench.ts'

export type Caller = Pick<Bench, 'holdfast' | 'withKey' | 'signal'>

/** Calls the API below `/api` and returns its data. @throws with the message of a refusal. */
export async function callApi<Data>(
  { holdfast, withKey, signal }: Caller,
  method: string,
  path: string,
  body?: object,
): Promise<Data> {
  const content = body === undefined || body instanceof FormData ? body : JSON.stringify(body)
  const init = { method, headers: withKey, signal, ...(content === undefined ? {} : { body: content }) }
  const response = await fetch(`${holdfast.url}/api${path}`, init)
  const { data, error } = (await response.json()) as { data: Data; error: { message: string } | null }
  if (error) throw new Error(`${method} ${path}: ${error.message}`)
  return data
}

/** Returns the id of a folder in the root. */
export async function folderId(caller: Caller, name: string): Promise<string> {
  const { folders } = await callApi<{ folders: { id: string; name: string }[] }>(
    caller,
    'GET',
    '/folders?limit=0',
  )
  const folder = folders.find((folder) => folder.name === name)
  if (!folder) throw new Error(`There is no folder "${name}"`)
  return folder.id
}
