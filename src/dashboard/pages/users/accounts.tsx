import { Dices } from 'lucide-react'
import { useState } from 'react'
import { changeUser, createUser, type User } from '../../api/accounts.ts'
import { EmailField, NameField } from '../../components/fields/account-fields.tsx'
import { Button, Done } from '../../components/fields/button.tsx'
import { CodeBlock } from '../../components/fields/copy-field.tsx'
import { CheckField, TextField } from '../../components/fields/field.tsx'
import { Form, useFormMutation } from '../../components/fields/form.tsx'
import { Dialog } from '../../components/overlays/dialog.tsx'
import { rightsOf } from '../../lib/levels.ts'
import { userTexts } from '../../texts/users.ts'
import { type AccessDraft, AccessFields, accessOf, draftOf, isComplete } from './access.tsx'
import { type FoldersDraft, FoldersField, reachesAll, sentFolders } from './folders.tsx'

/** Dialog that adds an account, then shows its sign-in details. */
export function AddUser({ onClose }: { onClose: () => void }) {
  const [access, setAccess] = useState<AccessDraft>(() => draftOf('viewer', ['files:read']))
  const [folders, setFolders] = useState<FoldersDraft>(null)
  const isLimited = folders !== null && !reachesAll(access)
  const create = useFormMutation({ mutationFn: createUser })
  if (create.isSuccess)
    return <HandOver user={create.data} password={create.variables.password} onClose={onClose} />
  return (
    <Dialog title={userTexts.addTitle} onClose={onClose}>
      <Form
        mutation={create}
        action={userTexts.add}
        isComplete={isComplete(access)}
        onSubmit={(form) =>
          create.mutate({
            name: String(form.get('name')),
            email: String(form.get('email')),
            password: String(form.get('password')),
            ...accessOf(access),
            ...(isLimited && {
              folders: [...(sentFolders(folders) ?? []), ...(form.has('home') ? [homeOf(form)] : [])],
            }),
          })
        }
        onClose={onClose}
      >
        <NameField autoComplete="off" />
        <EmailField autoComplete="off" />
        <GeneratedPasswordField />
        <AccessFields access={access} onChange={setAccess} />
        {!reachesAll(access) && <FoldersField folders={folders} onChange={setFolders} />}
        {isLimited && <CheckField label={userTexts.makeHome} name="home" defaultChecked />}
      </Form>
    </Dialog>
  )
}

/** Returns the folder of a new account, with the name of its person. */
const homeOf = (form: FormData) => ({
  folder: userTexts.homeOf(String(form.get('name')).trim().replaceAll(/[/\\]/g, '-')),
  rights: rightsOf('edit', false),
})

interface ResetFields {
  password: string
  deleteKeys: boolean
  endShares: boolean
  keepLinked: boolean
}

export function ResetPassword({ user, onClose }: { user: User; onClose: () => void }) {
  const reset = useFormMutation({
    mutationFn: (fields: ResetFields) => changeUser(user.id, fields),
  })
  if (reset.isSuccess) return <HandOver user={user} password={reset.variables.password} onClose={onClose} />
  return (
    <Dialog title={userTexts.resetTitle(user.name)} description={userTexts.resetText} onClose={onClose}>
      <Form
        mutation={reset}
        action={userTexts.reset}
        onSubmit={(form) =>
          reset.mutate({
            password: String(form.get('password')),
            deleteKeys: form.has('deleteKeys'),
            endShares: form.has('endShares'),
            keepLinked: form.has('keepLinked'),
          })
        }
        onClose={onClose}
      >
        <GeneratedPasswordField />
        {user.apiKeys > 0 && <CheckField label={userTexts.deleteKeys} name="deleteKeys" />}
        <CheckField label={userTexts.endShares} name="endShares" />
        {user.waysIn?.includes('oidc') && <CheckField label={userTexts.keepLinked} name="keepLinked" />}
      </Form>
    </Dialog>
  )
}

/** Field with a generated password, in view because it is handed over. */
export function GeneratedPasswordField() {
  const [value, setValue] = useState('')
  return (
    <div className="password-field">
      <TextField
        label={userTexts.password}
        hint={userTexts.passwordHint}
        name="password"
        className="input code"
        minLength={8}
        maxLength={128}
        autoComplete="off"
        spellCheck="false"
        value={value}
        onChange={(event) => setValue(event.target.value)}
        required
      />
      <Button look="quiet" icon={Dices} onClick={() => setValue(generatePassword())}>
        {userTexts.generate}
      </Button>
    </div>
  )
}

/** 32 characters that look different from each other. The lowest five bits of a byte choose one uniformly. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789'

/** Returns 80 random bits in groups of four characters, easy to read out. */
function generatePassword(): string {
  const signs = [...crypto.getRandomValues(new Uint8Array(16))].map(
    (byte) => ALPHABET[byte % ALPHABET.length],
  )
  return signs.join('').replace(/(.{4})(?=.)/g, '$1-')
}

interface HandOverProps {
  user: { name: string; email: string }
  password: string
  onClose: () => void
}

/** Sign-in details that an admin hands over. */
export const HandOver = ({ user, password, onClose }: HandOverProps) => (
  <Dialog
    title={userTexts.handOverTitle(user.name)}
    description={userTexts.handOverText}
    isKept
    onClose={onClose}
  >
    <CodeBlock
      label={userTexts.handOverLabel}
      code={userTexts.handOver(location.origin, user.email, password)}
    />
    <Done onClose={onClose} />
  </Dialog>
)
