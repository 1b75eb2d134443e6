import { toast } from '../components/overlays/toast.tsx'
import { createStore } from '../lib/store.ts'
import { texts } from '../texts.ts'
import { type Collected, uploadVisibility } from './collect.ts'

/** True from the first upload on, which the panel must show even before the first page is there. */
export const areUploadsWanted = createStore(false)

/** Uploads dropped or picked files into the folder `target`. The code of uploads loads when it is first needed. */
export async function addUploads(added: Collected, target: string): Promise<void> {
  const visibility = uploadVisibility.get()
  const files = added.files.map((picked) => ({ ...picked, visibility }))
  const code = await load()
  await code?.addUploads({ ...added, files }, target)
}

/** Uploads a picked file in place of an existing one, whose name stays. */
export async function addReplacement(
  existing: { id: string; name: string },
  folder: string,
  file: File,
): Promise<void> {
  const code = await load()
  await code?.addReplacement(existing, folder, file)
}

async function load() {
  areUploadsWanted.set(() => true)
  try {
    return await import('./add.ts')
  } catch {
    toast.error(texts.errors.unreachable)
    return undefined
  }
}
