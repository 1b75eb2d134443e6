import { basename } from 'node:path'

// The client of an upload where curl is missing: bun send-file.ts <url> <key> <path>
const [url = '', key = '', path = ''] = process.argv.slice(2)
const form = new FormData()
form.append('files', Bun.file(path), basename(path))
const response = await fetch(url, { method: 'POST', body: form, headers: { 'API-Key': key } })
console.log(await response.text())
process.exitCode = response.ok ? 0 : 1
