import { join } from 'node:path'
import { startWithAccount } from '../support/fixture.ts'

/** Part of a page that Playwright and Puppeteer have in common. */
interface Page {
  goto: (url: string) => Promise<unknown>
  waitForFunction: (expression: string) => Promise<unknown>
  evaluate: (expression: string) => Promise<unknown>
}

/** Result of `elsewhere.ts` when everything works. */
export const USED = {
  names: ['form.bin', 'pieces.bin', 'tus.bin', 'uppy é.bin'],
  isUppyEqual: true,
  again: 'again/uppy é.bin',
  isFound: true,
  part: '7777777777',
  contentRange: 'bytes 299990-299999/300000',
  hasProgress: true,
  code: 'name-taken',
}

/** Uses an instance of its own from a page on another origin, which `CORS_ORIGINS` names. Returns the result. */
export async function useFromElsewhere(page: Page): Promise<unknown> {
  const build = await Bun.build({ entrypoints: [join(import.meta.dir, 'elsewhere.ts')], target: 'browser' })
  const program = await build.outputs[0]?.text()
  using elsewhere = Bun.serve({
    port: 0,
    routes: {
      '/': new Response('<!doctype html><script type="module" src="/program.js"></script>', {
        headers: { 'Content-Type': 'text/html' },
      }),
      '/program.js': new Response(program, { headers: { 'Content-Type': 'text/javascript' } }),
    },
  })
  const { origin } = elsewhere.url
  await using far = await startWithAccount({ environment: { CORS_ORIGINS: origin } })
  await page.goto(origin)
  await page.waitForFunction('globalThis.useElsewhere !== undefined')
  return await page.evaluate(`useElsewhere(${JSON.stringify({ url: far.url, key: far.key })})`)
}
