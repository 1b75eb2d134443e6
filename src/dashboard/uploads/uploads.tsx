import { ConflictDialog } from './conflict-dialog.tsx'
import { UploadPanel } from './panel.tsx'

/** Uploads above every page: their panel, and the question about files that already exist. */
export default function Uploads() {
  return (
    <>
      <UploadPanel />
      <ConflictDialog />
    </>
  )
}
