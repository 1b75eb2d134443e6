import { Folder } from 'lucide-react'
import { useState } from 'react'
import type { KeyScope, NewApiKey } from '../../../client/index.ts'
import { createKey } from '../../api/accounts.ts'
import { useMe } from '../../api/session.ts'
import { LifetimeField } from '../../components/fields/amounts.tsx'
import { Button, Done } from '../../components/fields/button.tsx'
import { ChooseMany, ChooseOne } from '../../components/fields/choices.tsx'
import { CopyField } from '../../components/fields/copy-field.tsx'
import { TextField } from '../../components/fields/field.tsx'
import { Form, useFormMutation } from '../../components/fields/form.tsx'
import { FolderKey } from '../../components/folder-key.tsx'
import { Dialog } from '../../components/overlays/dialog.tsx'
import { type ChosenLifetime, dayFromNow, expiryOf } from '../../lib/lifetime.ts'
import { KEY_SCOPES } from '../../lib/scopes.ts'
import { FolderPicker, findFolder } from '../../search/folder-picker.tsx'
import { keyTexts } from '../../texts/keys.ts'
import { scopeTexts } from '../../texts/scopes.ts'
import { Use } from './use-key.tsx'

/** Fields of a new API key, with the object key of its folder in place of the id. */
type KeyFields = Omit<Parameters<typeof createKey>[0], 'folderId'> & { folder: string }

async function createBound({ folder, ...fields }: KeyFields): ReturnType<typeof createKey> {
  const bound = folder === '' ? {} : { folderId: (await findFolder(folder)).id }
  return createKey({ ...fields, ...bound })
}

interface NewKeyProps {
  /** Object key of the folder that the form begins with; empty for the whole account. */
  folder?: string
  onClose: () => void
}

/** Dialog that creates an API key, then shows its secret once. */
export default function NewKey({ folder = '', onClose }: NewKeyProps) {
  const create = useFormMutation({ mutationFn: createBound })
  if (create.data) return <MadeKey made={create.data} onClose={onClose} />
  return (
    <Dialog title={keyTexts.createTitle} onClose={onClose}>
      <KeyForm create={create} folder={folder} onClose={onClose} />
    </Dialog>
  )
}

const REACHES = (['all', 'one'] as const).map((value) => ({ value, ...keyTexts.reaches[value] }))
type Reach = (typeof REACHES)[number]['value']

interface KeyFormProps extends NewKeyProps {
  create: {
    mutate: (fields: KeyFields) => void
    error: unknown
    isPending: boolean
  }
}

function KeyForm({ create, folder = '', onClose }: KeyFormProps) {
  const { scopes: own } = useMe()
  const offered = KEY_SCOPES.filter((scope) => own.includes(scope))
  const [scopes, setScopes] = useState<KeyScope[]>(offered.filter((scope) => scope !== 'files:delete'))
  const [chosen, setChosen] = useState<ChosenLifetime>({ lifetime: '90', lastDay: dayFromNow(30) })
  const expiresAt = expiryOf(chosen)
  const [reach, setReach] = useState<Reach>(folder === '' ? 'all' : 'one')
  const [target, setTarget] = useState(folder)
  return (
    <Form
      mutation={create}
      action={keyTexts.create}
      isComplete={scopes.length > 0 && (reach === 'all' || target !== '')}
      onSubmit={(form) => {
        const name = String(form.get('name'))
        if (expiresAt !== undefined)
          create.mutate({ name, scopes, expiresAt, folder: reach === 'all' ? '' : target })
      }}
      onClose={onClose}
    >
      <TextField
        label={keyTexts.name}
        hint={keyTexts.nameHint}
        name="name"
        maxLength={255}
        autoComplete="off"
        required
      />
      <ChooseOne label={keyTexts.reach} value={reach} choices={REACHES} onChoose={setReach} />
      {reach === 'one' && <FolderField folder={target} onChoose={setTarget} />}
      <ChooseMany
        label={keyTexts.may}
        values={scopes}
        choices={offered.map((value) => ({ value, ...scopeTexts[value] }))}
        onChoose={setScopes}
      />
      <LifetimeField chosen={chosen} onChoose={setChosen} forever={keyTexts.worksForever} />
      {scopes.length === 0 && <p className="field-error">{keyTexts.chooseScope}</p>}
    </Form>
  )
}

/** Chosen folder, or the choice of one until the first is settled. */
function FolderField({ folder, onChoose }: { folder: string; onChoose: (key: string) => void }) {
  const [isChoosing, setChoosing] = useState(folder === '')
  if (isChoosing)
    return (
      <div className="stack gap-2">
        <FolderPicker target={folder} onOpen={onChoose} />
        {folder === '' && <p className="note">{keyTexts.chooseFolder}</p>}
      </div>
    )
  return (
    <div className="row apart gap-3">
      <span className="row gap-2 small anywhere">
        <Folder aria-hidden className="accent rigid" size={18} />
        <span>
          <FolderKey of={folder} />
        </span>
      </span>
      <Button look="quiet" onClick={() => setChoosing(true)}>
        {keyTexts.changeFolder}
      </Button>
    </div>
  )
}

interface MadeKeyProps {
  made: Pick<NewApiKey, 'key' | 'scopes' | 's3'>
  onClose: () => void
}

/** Secret of a new API key, shown only once, with examples. */
export function MadeKey({ made, onClose }: MadeKeyProps) {
  return (
    <Dialog title={keyTexts.madeTitle} description={keyTexts.madeText} isKept onClose={onClose}>
      <CopyField label={keyTexts.secret} text={made.key} />
      <Use credentials={{ origin: location.origin, secret: made.key, scopes: made.scopes, s3: made.s3 }} />
      <Done onClose={onClose} />
    </Dialog>
  )
}
