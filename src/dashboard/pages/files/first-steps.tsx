import { Link } from '@tanstack/react-router'
import { FolderOpen, Upload } from 'lucide-react'
import { useCan } from '../../api/session.ts'
import { CodeBlock } from '../../components/fields/copy-field.tsx'
import { Empty } from '../../components/notice.tsx'
import { texts } from '../../texts.ts'
import type { OpenMenu } from './list/actions.ts'
import { useAreaMenu } from './list/pointer.ts'
import { UploadButtons } from './upload-buttons.tsx'

/** Placeholder of an empty folder with its next steps, and with the folder's menu. */
export function FirstSteps({ folder, openMenu }: { folder: string; openMenu: OpenMenu }) {
  const area = useAreaMenu(openMenu)
  const mayWrite = useCan('files:write')
  const mayMakeKeys = useCan('api-keys:manage')
  if (!mayWrite) return <Empty icon={FolderOpen} title={texts.files.empty} />
  return (
    <Empty icon={Upload} title={folder === '' ? texts.files.first : texts.files.emptyFolder} {...area}>
      <p className="with-pointer">{texts.files.dropHere}</p>
      <UploadButtons folder={folder} />
      <div className="first-curl">
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
