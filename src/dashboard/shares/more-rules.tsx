import { useContext, useState } from 'react'
import { useShareWebhooks } from '../api/shares.ts'
import { AmountField } from '../components/fields/amount-field.tsx'
import { FieldProblems, SelectField, TextArea, TextField } from '../components/fields/field.tsx'
import { withMarks } from '../lib/marks.ts'
import { linkTo } from '../lib/paths.ts'
import { shareTexts } from '../texts/shares.ts'
import { type Rules, SIZE_UNITS } from './rules.ts'

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
      <summary>{shareTexts.more}</summary>
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
          spellCheck={false}
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
      spellCheck={false}
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
