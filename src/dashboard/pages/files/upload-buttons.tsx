import { FolderOpen, FolderUp, Upload } from 'lucide-react'
import { useRef } from 'react'
import { useFileSettings } from '../../api/instance.ts'
import { useMayWriteIn, useReach } from '../../api/reach.ts'
import { useCan } from '../../api/session.ts'
import { Button } from '../../components/fields/button.tsx'
import { CodeBlock } from '../../components/fields/copy-field.tsx'
import { Select } from '../../components/fields/select.tsx'
import { Empty } from '../../components/notice.tsx'
import { Link } from '../../lib/router.tsx'
import { useStore } from '../../lib/store.ts'
import { browseTexts } from '../../texts/browse.ts'
import { texts } from '../../texts.ts'
import { collectInput, uploadVisibility } from '../../uploads/collect.ts'
import { addUploads } from '../../uploads/start.ts'
import { useAreaMenu } from './list/pointer.ts'
import type { OpenMenu } from './list/rubber-band.ts'

/** Opens the browser's file picker, for files or for a folder, and uploads them into `folder`. */
export function pickUploads(folder: string, what: 'files' | 'folder'): void {
  const input = document.createElement('input')
  input.type = 'file'
  input.multiple = true
  input.webkitdirectory = what === 'folder'
  input.onchange = () => {
    if (input.files) void addUploads(collectInput(input.files), folder)
  }
  input.click()
}

/** Button that picks files. */
export function UploadButton({ folder }: { folder: string }) {
  const files = useRef<HTMLInputElement>(null)
  const take = (input: HTMLInputElement) => {
    if (input.files) void addUploads(collectInput(input.files), folder)
    // Allows the same files to be picked again.
    input.value = ''
  }
  return (
    <>
      <Button look="primary" icon={Upload} onClick={() => files.current?.click()}>
        {texts.files.upload}
      </Button>
      <input
        ref={files}
        type="file"
        multiple
        hidden
        aria-label={texts.files.upload}
        onChange={({ target }) => take(target)}
      />
    </>
  )
}

/** Placeholder of an empty folder with its next steps, and with the folder's menu. */
export function FirstSteps({ folder, openMenu }: { folder: string; openMenu: OpenMenu }) {
  const area = useAreaMenu(openMenu)
  const mayWrite = useMayWriteIn()(folder)
  const mayMakeKeys = useCan('api-keys:manage')
  if (!mayWrite) return <Empty icon={FolderOpen} title={texts.files.empty} />
  return (
    <Empty icon={Upload} title={folder === '' ? texts.files.first : texts.files.emptyFolder} {...area}>
      <p className="with-pointer">{texts.files.dropHere}</p>
      <div className="row wrap in-middle">
        <UploadButton folder={folder} />
        <Button className="with-pointer" icon={FolderUp} onClick={() => pickUploads(folder, 'folder')}>
          {texts.files.uploadFolder}
        </Button>
      </div>
      <div className="first-curl stack gap-2 fit small">
        <p>
          {texts.files.orCurl} {mayMakeKeys && <Link to="/keys">{texts.files.makeKey}</Link>}
        </p>
        <CodeBlock label={texts.files.curlLabel} code={curlFor(folder)} />
      </div>
    </Empty>
  )
}

const curlFor = (folder: string) =>
  [
    `curl ${location.origin}/api/files \\`,
    '  -H "API-Key: $KEY" \\',
    `  -F files=@photo.jpg${folder === '' ? '' : ` -F 'folder=${folder.replaceAll("'", "'\\''")}'`}`,
  ].join('\n')

const VALUES = ['private', 'public'] as const
const words = browseTexts.newFiles

/** Choice of the visibility of files to upload. */
export function UploadVisibility({ folder }: { folder: string }) {
  const { may } = useReach()
  const chosen = useStore(uploadVisibility)
  const mayPublish = may('share', folder)
  const usual = useFileSettings().data?.defaultVisibility
  const options = [
    ...(usual ? [] : [{ value: '', label: words.unknown } as const]),
    ...VALUES.map((value) => ({ value, label: words.as[value] })),
  ]
  // The server makes them private.
  if (!mayPublish) return null
  return (
    <Select
      label={words.label}
      className="upload-visibility"
      value={chosen ?? usual ?? ''}
      options={options}
      onChoose={(value) => uploadVisibility.set(() => (value === usual ? undefined : value || undefined))}
    />
  )
}
