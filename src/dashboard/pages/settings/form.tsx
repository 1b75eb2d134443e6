import { useState } from 'react'
import type { Visibility } from '../../api/files.ts'
import { type Settings, useChangeSettings } from '../../api/settings.ts'
import { AmountField } from '../../components/amount-field.tsx'
import { Button } from '../../components/button.tsx'
import { FormError } from '../../components/notice.tsx'
import { Segments } from '../../components/segments.tsx'
import { toast } from '../../components/toast.tsx'
import { formatCount } from '../../lib/format.ts'
import { texts } from '../../texts.ts'
import { ExistingFiles } from './existing-files.tsx'
import { amountOf, changesOf, type Edits, type LimitName, problemsOf, RULES } from './limits.ts'
import { Section } from './section.tsx'

const VISIBILITY_OPTIONS = (['public', 'private'] as const).map((value) => ({
  value,
  label: texts.visibility[value],
}))

const GROUPS: { title: string; lead: string; limits: LimitName[] }[] = [
  { ...texts.settings.uploads, limits: ['maxUploadSize'] },
  { ...texts.settings.links, limits: ['defaultPresignTtl', 'maxPresignTtl'] },
  { ...texts.settings.caching, limits: ['hostingCacheMaxAge'] },
  { ...texts.settings.history, limits: ['activityRetentionDays', 'apiRequestRetentionDays'] },
]

/** All settings. Only what was changed is kept here, so that what others change meanwhile shows. */
export function SettingsForm({ settings }: { settings: Settings }) {
  const [edits, setEdits] = useState<Edits>({})
  const [chosen, choose] = useState<Visibility>()
  const save = useChangeSettings()
  const { limits, defaultVisibility } = settings
  const problems = problemsOf(limits, edits)
  const changes = changesOf(limits, edits)
  const isChosen = chosen !== undefined && chosen !== defaultVisibility
  const isChanged = isChosen || Object.keys(problems).length + Object.keys(changes).length > 0

  const discard = () => {
    setEdits({})
    choose(undefined)
    save.reset()
  }
  const submit = () => {
    if (Object.keys(problems).length > 0) return
    const change = { limits: changes, ...(isChosen && { defaultVisibility: chosen }) }
    save.mutate(change, {
      onSuccess: () => {
        discard()
        toast.done(texts.settings.saved)
      },
    })
  }
  return (
    <form
      className="settings flow"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Section {...texts.settings.visibility}>
        <div className="field">
          <span className="field-label">{texts.settings.newFiles}</span>
          <Segments
            label={texts.settings.newFiles}
            value={chosen ?? defaultVisibility}
            options={VISIBILITY_OPTIONS}
            onChoose={choose}
          />
          <p className="field-hint">{texts.settings.newFilesAre[chosen ?? defaultVisibility]}</p>
        </div>
        <ExistingFiles counts={settings.visibilityCounts} />
      </Section>
      {GROUPS.map(({ title, lead, limits: names }) => (
        <Section key={title} title={title} lead={lead}>
          {names.map((name) => (
            <AmountField
              key={name}
              label={texts.settings.limits[name].label}
              hint={lossOf(name, changes[name], limits[name]) ?? texts.settings.limits[name].hint}
              error={problems[name]}
              amount={amountOf(name, limits, edits)}
              units={RULES[name].units}
              onChange={(amount) => setEdits((before) => ({ ...before, [name]: amount }))}
            />
          ))}
        </Section>
      ))}
      {isChanged && (
        <footer className="save-bar">
          <FormError error={save.error} />
          <p role="status">{texts.settings.unsaved}</p>
          <Button onClick={discard}>{texts.settings.discard}</Button>
          <Button
            look="primary"
            type="submit"
            isBusy={save.isPending}
            disabled={Object.keys(problems).length > 0}
          >
            {texts.settings.save}
          </Button>
        </footer>
      )}
    </form>
  )
}

/** A shorter history is cut at once, which nothing brings back. */
function lossOf(name: LimitName, days: number | undefined, before: number): string | undefined {
  const isHistory = name === 'activityRetentionDays' || name === 'apiRequestRetentionDays'
  if (!isHistory || days === undefined || days >= before) return undefined
  return texts.settings.cutsHistory(formatCount(days, texts.nouns.day))
}
