import { type Item, isFile, isFolder } from './items.ts'

/** Saves what is selected: a file as it is, several as one archive, each folder as its own. */
export function download(items: readonly Item[]): void {
  const files = items.filter(isFile)
  const [only] = files
  if (only && files.length === 1) follow(`/api/files/download/${only.id}`)
  else if (files.length > 1) postIds(files.map(({ id }) => id))
  for (const { id } of items.filter(isFolder)) follow(`/api/folders/download?id=${encodeURIComponent(id)}`)
}

function follow(href: string): void {
  const link = document.createElement('a')
  link.href = href
  link.download = ''
  link.click()
}

/** The browser itself must send it, or the archive would have to fit into memory. */
function postIds(ids: readonly string[]): void {
  const form = document.createElement('form')
  form.method = 'post'
  form.action = '/api/files/download'
  form.hidden = true
  for (const id of ids) {
    const input = document.createElement('input')
    input.name = 'ids'
    input.value = id
    form.append(input)
  }
  document.body.append(form)
  form.submit()
  form.remove()
}
