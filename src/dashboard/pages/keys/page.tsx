import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { type ApiKey, deleteKey, renameKey, useKeys } from '../../api/accounts.ts'
import { useMe } from '../../api/session.ts'
import { Button } from '../../components/fields/button.tsx'
import { TextField } from '../../components/fields/field.tsx'
import { Form, useFormMutation } from '../../components/fields/form.tsx'
import { Empty, Failure, Loading } from '../../components/notice.tsx'
import { ConfirmChange } from '../../components/overlays/confirm.tsx'
import { Dialog } from '../../components/overlays/dialog.tsx'
import { Page } from '../../components/page.tsx'
import { API_DOCS } from '../../lib/paths.ts'
import { KEY_SCOPES } from '../../lib/scopes.ts'
import { keyTexts } from '../../texts/keys.ts'
import { KeyTable, type Overlay } from './key-table.tsx'
import NewKey from './new-key.tsx'
import { UseKey } from './use-key.tsx'

/** Page of the account's API keys. */
export default function KeysPage() {
  const [overlay, setOverlay] = useState<Overlay>()
  const { scopes } = useMe()
  const mayMake = KEY_SCOPES.some((scope) => scopes.includes(scope))
  const newKey = mayMake && (
    <Button look="primary" icon={Plus} onClick={() => setOverlay({ is: 'new' })}>
      {keyTexts.new}
    </Button>
  )
  const { data: keys, error, refetch } = useKeys()
  const hasKeys = keys !== undefined && keys.length > 0
  return (
    <Page title={keyTexts.title} actions={hasKeys && newKey}>
      <p className="page-lead">
        {mayMake ? keyTexts.lead : keyTexts.noScopes}{' '}
        <a href={API_DOCS} target="_blank" rel="noreferrer">
          {keyTexts.apiDocs}
        </a>
      </p>
      {error && <Failure error={error} onRetry={refetch} />}
      {!keys && !error && <Loading />}
      {hasKeys && <KeyTable keys={keys} onChange={setOverlay} />}
      {keys?.length === 0 && (
        <Empty icon={KeyRound} title={keyTexts.empty}>
          {mayMake && <p>{keyTexts.emptyText}</p>}
          {newKey}
        </Empty>
      )}
      <Overlays overlay={overlay} onClose={() => setOverlay(undefined)} />
    </Page>
  )
}

function Overlays({ overlay, onClose }: { overlay: Overlay | undefined; onClose: () => void }) {
  switch (overlay?.is) {
    case undefined:
      return null
    case 'new':
      return <NewKey onClose={onClose} />
    case 'use':
      return <UseKey apiKey={overlay.key} onClose={onClose} />
    case 'rename':
      return <RenameKey apiKey={overlay.key} onClose={onClose} />
    case 'delete':
      return <DeleteKey apiKey={overlay.key} onClose={onClose} />
  }
}

interface ChangeProps {
  apiKey: ApiKey
  onClose: () => void
}

export function RenameKey({ apiKey, onClose }: ChangeProps) {
  const rename = useFormMutation({
    mutationFn: (name: string) => renameKey(apiKey.id, name),
    onSuccess: onClose,
  })
  return (
    <Dialog title={keyTexts.renameTitle(apiKey.name)} onClose={onClose}>
      <Form
        mutation={rename}
        action={keyTexts.save}
        onSubmit={(form) => rename.mutate(String(form.get('name')))}
        onClose={onClose}
      >
        <TextField
          label={keyTexts.name}
          name="name"
          defaultValue={apiKey.name}
          maxLength={255}
          autoComplete="off"
          required
        />
      </Form>
    </Dialog>
  )
}

export const DeleteKey = ({ apiKey, onClose }: ChangeProps) => (
  <ConfirmChange
    title={keyTexts.deleteTitle(apiKey.name)}
    action={keyTexts.delete}
    change={() => deleteKey(apiKey.id)}
    done={keyTexts.deleted(apiKey.name)}
    onClose={onClose}
  >
    {keyTexts.deleteText}
  </ConfirmChange>
)
