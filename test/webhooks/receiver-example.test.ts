import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { WebhookDelivery } from '../../src/client/types.ts'
import { startInsideWithAccount } from '../support/fixture.ts'
import { createWebhook } from '../support/webhooks.ts'

/** Starts the receiver of the documentation on a free port, which it prints. */
async function startExample(folder: string, secret: string) {
  const page = readFileSync(join(import.meta.dir, '../../docs/webhooks.md'), 'utf8')
  const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? []
  const path = join(folder, 'receiver.ts')
  const served = code.replace('port: 8080', 'port: 0').replace('Bun.serve(', 'const server = Bun.serve(')
  writeFileSync(path, `${served}\nconsole.log(server.port)\n`)
  const child = Bun.spawn([process.execPath, path], {
    env: { PATH: process.env['PATH'], WEBHOOK_SECRET: secret },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const reader = child.stdout.getReader()
  const port = Number(new TextDecoder().decode((await reader.read()).value))
  return { port, child, readNext: async () => new TextDecoder().decode((await reader.read()).value) }
}

test('the receiver of the documentation accepts what is signed with its secret, and nothing else', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-receiver-'))
  await using holdfast = await startInsideWithAccount({ environment: { WEBHOOK_ALLOW_PRIVATE: '127.0.0.1' } })
  const { admin } = holdfast
  const webhook = { url: 'http://127.0.0.1/', events: [] }
  const { id, secret } = await createWebhook(admin, { ...webhook, name: 'example' })
  const other = await createWebhook(admin, { ...webhook, name: 'other' })
  const { port, child, readNext } = await startExample(folder, secret)
  const send = async (webhookId: string) => {
    await admin.api.data('PUT', '/webhooks', { id: webhookId, url: `http://127.0.0.1:${port}/` })
    const body = { id: webhookId }
    return (await admin.api.data<{ delivery: WebhookDelivery }>('POST', '/webhooks/test', body)).delivery
  }

  try {
    expect(await send(other.id)).toMatchObject({ state: 'failed', status: 401 })
    expect(await send(id)).toMatchObject({ state: 'delivered', status: 204 })
    expect(await readNext()).toContain('webhook.test')
  } finally {
    child.kill()
    await child.exited
    rmSync(folder, { recursive: true, force: true })
  }
})
