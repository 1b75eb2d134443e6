import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { createKey, KEY_SCOPES, type KeyScope } from '../../api/keys.ts'
import { SHOWN_IN_PLACE } from '../../api/query.ts'
import { useMe } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { ChooseMany } from '../../components/choices.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { FormError } from '../../components/notice.tsx'
import { formatMoment } from '../../lib/format.ts'
import { texts } from '../../texts.ts'
import { dayFromNow, expiryOf, LIFETIMES, type Lifetime } from './lifetime.ts'
import { MadeKey } from './made-key.tsx'

const LIFETIME_OPTIONS = LIFETIMES.map((value) => ({ value, label: texts.keys.lifetimes[value] }))

/** Asks what a new key is for, then shows its secret once. */
export function NewKey({ onClose }: { onClose: () => void }) {
  const create = useMutation({ mutationFn: createKey, meta: SHOWN_IN_PLACE })
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
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        const name = String(new FormData(event.currentTarget).get('name'))
        if (expiresAt !== undefined) create.mutate({ name, scopes, expiresAt })
      }}
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
      <FormError error={create.error} />
      <DialogActions>
        <Button onClick={onClose}>{texts.actions.cancel}</Button>
        <Button look="primary" type="submit" disabled={scopes.length === 0} isBusy={create.isPending}>
          {texts.keys.create}
        </Button>
      </DialogActions>
    </form>
  )
}

function lifetimeText(expiresAt: string | null | undefined): string {
  if (expiresAt === null) return texts.keys.worksForever
  return expiresAt === undefined ? '' : texts.keys.worksUntil(formatMoment(expiresAt))
}
