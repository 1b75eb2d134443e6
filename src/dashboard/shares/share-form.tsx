import { useState } from 'react'
import { useCan } from '../api/session.ts'
import type { Share, ShareFields } from '../api/shares.ts'
import { CheckField, SelectField, TextField } from '../components/fields/field.tsx'
import { Form } from '../components/fields/form.tsx'
import { LifetimeField } from '../components/fields/lifetime-field.tsx'
import { NewPasswordField } from '../components/fields/password-field.tsx'
import { expiryOf } from '../lib/lifetime.ts'
import { shareTexts } from '../texts/shares.ts'
import { MoreRules } from './more-rules.tsx'
import { type Access, fieldsOf, type Rules } from './rules.ts'
import type { Shown } from './shown.ts'
import { VisitorView } from './visitor-view.tsx'

interface ShareFormProps {
  /** Rules that the form begins with. */
  start: Rules
  /** Share that the form changes; undefined for a new one. */
  share?: Share
  items: readonly Shown[]
  /** Folder that received files go to; without it, visitors cannot send any. */
  folderId: string | undefined
  mutation: { mutate: (fields: ShareFields) => void; error: unknown; isPending: boolean }
  onClose: () => void
}

/** Form with the rules of a share, beside a preview of its page. */
export function ShareForm({ start, share, items, folderId, mutation, onClose }: ShareFormProps) {
  const [rules, setRules] = useState(start)
  const mayTake = useCan('files:write') && folderId !== undefined
  const change = (changes: Partial<Rules>) => setRules((before) => ({ ...before, ...changes }))
  return (
    <Form
      mutation={mutation}
      action={share ? shareTexts.save : shareTexts.create}
      isComplete={expiryOf(rules) !== undefined}
      onSubmit={() => mutation.mutate(fieldsOf(rules, folderId, share && start))}
      onClose={onClose}
    >
      <div className="share-form">
        <div className="stack">
          <TextField
            label={shareTexts.title}
            placeholder={shareTexts.defaultTitles[rules.access]}
            value={rules.title}
            maxLength={255}
            autoComplete="off"
            onChange={(event) => change({ title: event.target.value })}
          />
          {mayTake && (
            <SelectField
              label={shareTexts.access}
              value={rules.access}
              options={ACCESS_OPTIONS}
              onChoose={(access) => change({ access })}
            />
          )}
          <LifetimeField chosen={rules} onChoose={change} forever={shareTexts.worksForever} />
          <CheckField
            label={shareTexts.askPassword}
            checked={rules.hasPassword}
            onChange={(event) => change({ hasPassword: event.target.checked })}
          />
          {rules.hasPassword && (
            <NewPasswordField
              label={shareTexts.password}
              name="password"
              value={rules.password}
              onChange={(event) => change({ password: event.target.value })}
              required={!share?.hasPassword}
              {...(share?.hasPassword && { hint: shareTexts.keepPassword })}
            />
          )}
          <MoreRules rules={rules} onChange={change} />
        </div>
        <VisitorView rules={rules} items={items} />
      </div>
    </Form>
  )
}

const ACCESSES: readonly Access[] = ['read', 'write', 'both']
const ACCESS_OPTIONS = ACCESSES.map((value) => ({ value, label: shareTexts.accesses[value] }))
