import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { registerAdmin, type User } from '../support/accounts.ts'
import { sendUpload } from '../support/holdfast.ts'
import { makePng } from './png.ts'
import { openStage, type Stage, visit } from './visitor.ts'

let stage: Stage
let admin: User
beforeAll(async () => {
  stage = await openStage()
  admin = await registerAdmin(stage.holdfast)
}, 30_000)
afterAll(() => stage[Symbol.asyncDispose]())

const put = (folder: string, files: Record<string, Uint8Array<ArrayBuffer>>) =>
  sendUpload(stage.holdfast, { Cookie: admin.cookie }, { files, folder })

/** Opens a folder, its items side by side. */
async function openGrid(folder: string, prepare: (page: Page) => Promise<unknown> = async () => undefined) {
  const visitor = await visit(stage, '/files', { cookie: admin.cookie })
  await visitor.page.getByRole('button', { name: 'Grid' }).click()
  await prepare(visitor.page)
  await visitor.page.goto(`http://holdfast.test/files?folder=${folder}`)
  return visitor
}

test('pictures of any shape leave the tiles of a grid apart from each other', async () => {
  const shapes = [makePng(900, 400), makePng(600, 600), makePng(400, 900)]
  const files = Object.fromEntries(
    Array.from({ length: 15 }, (_, n) => [`${n}.png`, shapes[n % 3] ?? makePng(1, 1)]),
  )
  await put('shapes', files)
  await using visitor = await openGrid('shapes')
  const { page } = visitor
  await page.locator('.tile img').nth(14).waitFor()
  await page.waitForFunction(
    `[...document.querySelectorAll('.tile img')].every((image) => image.naturalWidth > 0)`,
  )

  const heights = await page.locator('.tile').evaluateAll((tiles) => tiles.map((tile) => tile.clientHeight))

  expect(heights).toHaveLength(15)
  expect(Math.max(...heights)).toBeLessThan(204)
})
