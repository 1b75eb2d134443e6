import type { HoldfastClient, Visibility } from '../../client/index.ts'
import { type Palette, paintHills } from './picture.ts'

/** Files of one sample folder. */
interface Sample {
  folder: string
  visibility: Visibility
  files: Record<string, string | Uint8Array<ArrayBuffer>>
}

const SIZE = { width: 960, height: 640 }

/** Colours of the pictures, by file name. */
export const PALETTES: Record<string, Palette> = {
  'morning.png': { sky: ['#fad6a5', '#fff4e0'], hills: ['#d6b2aa', '#5c4660'] },
  'noon.png': { sky: ['#60a5e0', '#def0fa'], hills: ['#96beb4', '#225446'] },
  'evening.png': { sky: ['#483470', '#f48e6c'], hills: ['#aa5c78', '#241838'] },
  'night.png': { sky: ['#080e28', '#2c3e70'], hills: ['#24345c', '#060a1a'] },
  'spring.png': { sky: ['#96ced6', '#f4fae8'], hills: ['#b2d296', '#366a3e'] },
  'autumn.png': { sky: ['#c4ced6', '#faeedc'], hills: ['#deaa6e', '#703622'] },
}

const WELCOME = `# Welcome to the demo

Everything here disappears when the demo stops.

- \`photos/\` has pictures that any website can show.
- \`site/\` is a small website, served as it is.
- \`private/\` needs a sign-in, an API key or a signed link.
`

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Hill walks</title>
<link rel="stylesheet" href="style.css">
<h1>Hill walks</h1>
<p>This page, its style and its pictures are files in Holdfast.</p>
<img src="../photos/morning.png" alt="Hills in the morning">
<img src="../photos/evening.png" alt="Hills in the evening">
`

const STYLE = `body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 1.1rem/1.6 system-ui, sans-serif }
img { width: 100%; border-radius: 8px; margin-bottom: 1rem }
`

const WALKS = `date,walk,kilometres,ascent
2026-03-01,Long ridge,14.2,640
2026-03-08,Mill valley,9.7,210
2026-03-22,Three summits,18.9,1120
`

/** Paints and writes the sample files. */
const makeSamples = (): Sample[] => [
  {
    folder: 'photos',
    visibility: 'public',
    files: Object.fromEntries(
      Object.entries(PALETTES).map(([name, palette], seed) => [name, paintHills(SIZE, { seed, palette })]),
    ),
  },
  { folder: 'site', visibility: 'public', files: { 'index.html': PAGE, 'style.css': STYLE } },
  { folder: 'notes/2026', visibility: 'public', files: { 'walks.csv': WALKS } },
  { folder: '', visibility: 'public', files: { 'welcome.md': WELCOME } },
  {
    folder: 'private',
    visibility: 'private',
    files: { 'plans.txt': 'Next: the three summits again, in snow.\n' },
  },
]

/** Uploads the sample files, each folder together, and returns the ids of the public ones. */
export async function uploadSamples(client: Pick<HoldfastClient, 'files'>): Promise<string[]> {
  const ids: string[] = []
  for (const { folder, visibility, files } of makeSamples()) {
    const contents = Object.entries(files).map(([name, content]) => ({ name, content }))
    const stored = await client.files.upload(contents, { ...(folder && { folder }), visibility })
    if (visibility === 'public') ids.push(...stored.map(({ id }) => id))
  }
  return ids
}
