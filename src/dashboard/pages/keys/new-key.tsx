import { useState } from 'react'
import type { KeyScope } from '../../../client/index.ts'
import { createKey } from '../../api/keys.ts'
import { useMe } from '../../api/session.ts'
import { ChooseMany } from '../../components/fields/choices.tsx'
import { SelectField, TextField } from '../../components/fields/field.tsx'
import { Form, useFormMutation } from '../../components/fields/form.tsx'
import { Dialog } from '../../components/overlays/dialog.tsx'
import { formatMoment } from '../../lib/format.ts'
import { KEY_SCOPES } from '../../lib/scopes.ts'
import { texts } from '../../texts.ts'
import { dayFromNow, expiryOf, LIFETIMES, type Lifetime } from './lifetime.ts'
import { MadeKey } from './made-key.tsx'

const LIFETIME_OPTIONS = LIFETIMES.map((value) => ({ value, label: texts.keys.lifetimes[value] }))

/** Dialog that creates an API key, then shows its secret once. */
export function NewKey({ onClose }: { onClose: () => void }) {
  const create = useFormMutation({ mutationFn: createKey })
  if (create.data) return <MadeKey made={create.data} onClose={onClose} />
  return (
    <Dialog title={texts.keys.createTitle} onClose={onClose}>
      <KeyForm create={create} onClose={onClose} />
    </Dialog>
  )
}

interface KeyFormProps {
  create: {
    mutate: (body: Parameters<typeof createKey>[0]) => void
    error: unknown
    isPending: boolean
  }
  onClose: () => void
}

function KeyForm({ create, onClose }: KeyFormProps) {
  const { scopes: own } = useMe()
  const offered = KEY_SCOPES.filter((scope) => own.includes(scope))
  const [scopes, setScopes] = useState<KeyScope[]>(offered.filter((scope) => scope !== 'files:delete'))
  const [lifetime, setLifetime] = useState<Lifetime>('90')
  const [lastDay, setLastDay] = useState(() => dayFromNow(30))
  const expiresAt = expiryOf(lifetime, lastDay)
  return (
    <Form
      mutation={create}
      action={texts.keys.create}
      isComplete={scopes.length > 0}
      onSubmit={(form) => {
        const name = String(form.get('name'))
        if (expiresAt !== undefined) create.mutate({ name, scopes, expiresAt })
      }}
      onClose={onClose}
    >
      <TextField
        label={texts.keys.name}
        hint={texts.keys.nameHint}
        name="name"
        maxLength={255}
        autoComplete="off"
        required
      />
      <ChooseMany
        label={texts.keys.may}
        values={scopes}
        choices={offered.map((value) => ({ value, ...texts.scopes[value] }))}
        onChoose={setScopes}
      />
      <div className="lifetime">
        <SelectField
          label={texts.keys.lifetime}
          value={lifetime}
          options={LIFETIME_OPTIONS}
          onChoose={setLifetime}
        />
        {lifetime === 'day' && (
          <TextField
            label={texts.keys.lastDay}
            type="date"
            min={dayFromNow(0)}
            value={lastDay}
            onChange={(event) => setLastDay(event.target.value)}
            required
          />
        )}
        <p className="field-hint" aria-live="polite">
          {lifetimeText(expiresAt)}
        </p>
      </div>
      {scopes.length === 0 && <p className="field-error">{texts.keys.chooseScope}</p>}
    </Form>
  )
}

function lifetimeText(expiresAt: string | null | undefined): string {
  if (expiresAt === null) return texts.keys.worksForever
  return expiresAt === undefined ? '' : texts.keys.worksUntil(formatMoment(expiresAt))
}
