import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createClient } from '../../src/client/index.ts'
import { uploadSamples } from '../../src/commands/demo/samples.ts'
import { register } from '../support/holdfast.ts'
import { fillRichly } from './rich.ts'
import { openStage, visit } from './visitor.ts'

/**
 * Takes screenshots of pages with a month of data and the files of the demo. With `--calm` there are no failures.
 * Usage: `bun test/browser/screenshots.ts [--calm] <folder> [page…]`
 */

const { values, positionals } = parseArgs({ options: { calm: { type: 'boolean' } }, allowPositionals: true })
const [folder = 'screenshots', ...asked] = positionals
const PAGES = asked.length > 0 ? asked : ['files', 'trash', 'overview', 'activity', 'settings']
const WIDTHS = [390, 1440]

mkdirSync(folder, { recursive: true })
await using stage = await openStage()
const { cookie, userId, key } = await register(stage.holdfast)
await uploadSamples(createClient({ url: stage.holdfast.url, key }))
await fillRichly(stage.holdfast, userId)
if (values.calm) await stage.holdfast.server.deps.store.activities.removeAllOwn(userId, 1000)
for (const name of PAGES) {
  for (const width of WIDTHS) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const viewport = { width, height: width < 500 ? 844 : 900 }
      await using visitor = await visit(stage, `/${name}`, { cookie, colorScheme, viewport })
      const { page } = visitor
      await visitor.settled()
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) })
      // Content scrolls inside the frame, so only a window of its height shows all of it.
      const height = Number(await page.evaluate("document.getElementById('content').scrollHeight"))
      await page.setViewportSize({ width, height: Math.min(height + 60, 4000) })
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}-whole.png`) })
    }
  }
}
