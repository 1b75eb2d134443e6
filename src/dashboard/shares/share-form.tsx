import { useContext, useState } from 'react'
import { useFileSettings } from '../api/instance.ts'
import { useCan, useMe } from '../api/session.ts'
import { type Share, type ShareFields, useShareWebhooks } from '../api/shares.ts'
import { NewPasswordField } from '../components/fields/account-fields.tsx'
import { AmountField, LifetimeField } from '../components/fields/amounts.tsx'
import { CheckField, FieldProblems, SelectField, TextArea, TextField } from '../components/fields/field.tsx'
import { Form } from '../components/fields/form.tsx'
import { withMarks } from '../lib/format.ts'
import { expiryOf } from '../lib/lifetime.ts'
import { linkTo } from '../lib/paths.ts'
import { shareTexts } from '../texts/shares.ts'
import { type Access, fieldsOf, type Rules, type Shown, SIZE_UNITS } from './rules.ts'
import { usualTitle, VisitorView } from './visitor-view.tsx'

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
  const sender = withMarks(useMe().user.name)
  const maxDays = useFileSettings().data?.maxShareDays
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
            placeholder={usualTitle(rules, items, sender)}
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
          <LifetimeField
            chosen={rules}
            onChoose={change}
            forever={shareTexts.worksForever}
            maxDays={maxDays}
          />
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

const COUNT = { inputMode: 'numeric', pattern: '[1-9][0-9]{0,8}', title: shareTexts.countTitle } as const

interface MoreRulesProps {
  rules: Rules
  onChange: (changes: Partial<Rules>) => void
}

/** Rules that most shares do without, folded until they are wanted or wrong. */
export function MoreRules({ rules, onChange }: MoreRulesProps) {
  const [isOpen, setOpen] = useState(rules.slug !== '')
  const problems = useContext(FieldProblems)
  const isWrong = ['slug', 'maxDownloads', 'maxFiles'].some((name) => problems.has(name))
  return (
    <details
      className="share-more"
      open={isOpen || isWrong}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="small medium">{shareTexts.more}</summary>
      <div className="stack">
        <TextArea
          label={shareTexts.note}
          value={rules.note}
          maxLength={2000}
          onChange={(event) => onChange({ note: event.target.value })}
        />
        <TextField
          label={shareTexts.slug}
          hint={shareTexts.slugHint(linkTo({ url: 's/' }))}
          name="slug"
          value={rules.slug}
          pattern="[A-Za-z0-9\-]{3,64}"
          title={shareTexts.slugTitle}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck="false"
          onChange={(event) => onChange({ slug: event.target.value })}
        />
        {rules.access !== 'write' && (
          <TextField
            {...COUNT}
            label={shareTexts.maxDownloads}
            hint={shareTexts.maxDownloadsHint}
            name="maxDownloads"
            value={rules.maxDownloads}
            onChange={(event) => onChange({ maxDownloads: event.target.value })}
          />
        )}
        {rules.access !== 'read' && <LimitsOfReceiving rules={rules} onChange={onChange} />}
        <Notified rules={rules} onChange={onChange} />
      </div>
    </details>
  )
}

/** Limits of the files that visitors send. */
const LimitsOfReceiving = ({ rules, onChange }: MoreRulesProps) => (
  <>
    <TextField
      {...COUNT}
      label={shareTexts.maxFiles}
      name="maxFiles"
      value={rules.maxFiles}
      onChange={(event) => onChange({ maxFiles: event.target.value })}
    />
    <AmountField
      label={shareTexts.maxBytes}
      amount={rules.maxBytes}
      units={SIZE_UNITS}
      onChange={(maxBytes) => onChange({ maxBytes })}
    />
    <TextField
      label={shareTexts.types}
      hint={shareTexts.typesHint}
      value={rules.types}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck="false"
      onChange={(event) => onChange({ types: event.target.value })}
    />
  </>
)

/** Webhook that gets the events of the share, where the server offers any. */
function Notified({ rules: { notify }, onChange }: MoreRulesProps) {
  const { data: webhooks = [] } = useShareWebhooks()
  const options = webhooks.map(({ id, name }) => ({ value: id, label: withMarks(name) }))
  if (options.length === 0 && notify === '') return null
  const isOffered = notify === '' || options.some(({ value }) => value === notify)
  return (
    <SelectField
      label={shareTexts.notify}
      value={notify}
      options={[
        { value: '', label: shareTexts.notifyNone },
        ...options,
        ...(isOffered ? [] : [{ value: notify, label: shareTexts.notifyOff }]),
      ]}
      onChoose={(chosen) => onChange({ notify: chosen })}
    />
  )
}
