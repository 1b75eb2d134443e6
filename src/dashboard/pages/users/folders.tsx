import { FolderPlus, X } from 'lucide-react'
import { useState } from 'react'
import type { Right } from '../../../client/index.ts'
import { changeUser, type User } from '../../api/accounts.ts'
import { Button, IconButton } from '../../components/fields/button.tsx'
import { ChooseOne } from '../../components/fields/choices.tsx'
import { Form, useFormMutation } from '../../components/fields/form.tsx'
import { RightsFields } from '../../components/fields/rights-fields.tsx'
import { FolderKey } from '../../components/folder-key.tsx'
import { Dialog } from '../../components/overlays/dialog.tsx'
import { toast } from '../../components/overlays/toast.tsx'
import { rightsOf } from '../../lib/levels.ts'
import { FolderPicker } from '../../search/folder-picker.tsx'
import { rightsTexts } from '../../texts/rights.ts'
import { userTexts } from '../../texts/users.ts'
import type { AccessDraft } from './access.tsx'

/** Folder in a form. One that is in the trash has no object key. */
export interface FolderDraft {
  folderId?: string
  key: string | null
  name: string
  rights: Right[]
  byGroups?: Right[]
}

/** Folders that an account is limited to; null for everything. */
export type FoldersDraft = FolderDraft[] | null

/** Returns the folders as the API takes them. */
export const sentFolders = (folders: FoldersDraft) =>
  folders?.map(({ folderId, key, rights }) =>
    folderId === undefined ? { folder: key ?? '', rights } : { folderId, rights },
  ) ?? null

/** True for an account that manages the instance, which reaches everything. */
export const reachesAll = ({ role, scopes }: AccessDraft): boolean =>
  role === 'admin' || (role === 'custom' && scopes.includes('settings:manage'))

const REACHES = (['all', 'some'] as const).map((value) => ({ value, ...userTexts.reaches[value] }))

interface FoldersFieldProps {
  folders: FoldersDraft
  onChange: (folders: FoldersDraft) => void
}

/** Choice of everything or some folders, each with its rights. */
export function FoldersField({ folders, onChange }: FoldersFieldProps) {
  const [target, setTarget] = useState<string>()
  const isChosen = (key: string) => folders?.some((folder) => folder.key === key) === true
  const add = (key: string) => {
    setTarget(undefined)
    onChange([...(folders ?? []), { key, name: key, rights: rightsOf('edit', false) }])
  }
  return (
    <>
      <ChooseOne
        label={userTexts.reach}
        value={folders ? 'some' : 'all'}
        choices={REACHES}
        onChoose={(reach) => onChange(reach === 'all' ? null : [])}
      />
      {folders?.map((folder) => (
        <div key={folder.folderId ?? folder.key} className="stack gap-2">
          <div className="row apart gap-3">
            <span className="small medium anywhere">
              {folder.key === null ? userTexts.inTrash(folder.name) : <FolderKey of={folder.key} />}
            </span>
            {folder.byGroups ? (
              <small>{rightsTexts.byGroups}</small>
            ) : (
              <IconButton
                icon={X}
                label={userTexts.removeFolder(folder.name)}
                onClick={() => onChange(folders.filter((other) => other !== folder))}
              />
            )}
          </div>
          <RightsFields
            of={folder.key ?? folder.name}
            rights={folder.rights}
            onChange={(rights) =>
              onChange(folders.map((other) => (other === folder ? { ...folder, rights } : other)))
            }
          />
        </div>
      ))}
      {folders && target === undefined && (
        <Button look="quiet" icon={FolderPlus} onClick={() => setTarget('')}>
          {userTexts.addFolder}
        </Button>
      )}
      {folders && target !== undefined && (
        <div className="stack gap-2">
          <FolderPicker target={target} onOpen={setTarget} />
          <Button disabled={target === '' || isChosen(target)} onClick={() => add(target)}>
            {userTexts.addThisFolder}
          </Button>
        </div>
      )}
    </>
  )
}

interface ChangeFoldersProps {
  user: User
  onClose: () => void
}

/** Dialog with the folders of an account. */
export function ChangeFolders({ user, onClose }: ChangeFoldersProps) {
  const [folders, setFolders] = useState<FoldersDraft>(user.folders)
  const change = useFormMutation({
    mutationFn: () => changeUser(user.id, { folders: sentFolders(folders) }),
    onSuccess: () => {
      toast.done(userTexts.foldersChanged(user.name))
      onClose()
    },
  })
  return (
    <Dialog title={userTexts.foldersTitle(user.name)} description={userTexts.foldersText} onClose={onClose}>
      <Form mutation={change} action={userTexts.save} onSubmit={() => change.mutate()} onClose={onClose}>
        <FoldersField folders={folders} onChange={setFolders} />
      </Form>
    </Dialog>
  )
}
