import { useBlocker } from '@tanstack/react-router'
import type { Settings } from '../../api/settings.ts'
import { AmountField } from '../../components/fields/amount-field.tsx'
import { Button } from '../../components/fields/button.tsx'
import { Segments } from '../../components/fields/segments.tsx'
import { FormError } from '../../components/notice.tsx'
import Confirm from '../../components/overlays/confirm.tsx'
import { formatCount } from '../../lib/format.ts'
import { VISIBILITY_OPTIONS } from '../../lib/options.ts'
import { settingsTexts } from '../../texts/settings.ts'
import { texts } from '../../texts.ts'
import { type Draft, useDraft } from './draft.ts'
import { ExistingFiles } from './existing-files.tsx'
import { type LimitName, limitsOf, RULES } from './limits.ts'
import { Section } from './section.tsx'

const GROUPS: { title: string; lead: string; limits: LimitName[] }[] = [
  { ...settingsTexts.uploads, limits: ['maxUploadSize'] },
  { ...settingsTexts.links, limits: ['defaultPresignTtl', 'maxPresignTtl'] },
  { ...settingsTexts.caching, limits: ['hostingCacheMaxAge'] },
  { ...settingsTexts.removed, limits: ['trashDays', 'versionDays'] },
  { ...settingsTexts.history, limits: ['activityRetentionDays', 'apiRequestRetentionDays'] },
]

/** All settings. */
export function SettingsForm({ settings }: { settings: Settings }) {
  const draft = useDraft(settings)
  return (
    <form
      className="settings flow"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        draft.save()
      }}
    >
      <Section {...settingsTexts.visibility}>
        <NewFiles draft={draft} />
        <ExistingFiles counts={settings.visibilityCounts} />
      </Section>
      {GROUPS.map(({ title, lead, limits }) => (
        <Section key={title} title={title} lead={lead}>
          {limits.map((name) => (
            <AmountField
              key={name}
              label={settingsTexts.limits[name].label}
              hint={
                lossOf(name, draft.changes[name], limitsOf(settings)[name]) ?? settingsTexts.limits[name].hint
              }
              error={draft.problems[name]}
              amount={draft.amountOf(name)}
              units={RULES[name].units}
              onChange={(amount) => draft.edit(name, amount)}
            />
          ))}
        </Section>
      ))}
      {draft.isChanged && <SaveBar draft={draft} />}
      <LeaveQuestion isChanged={draft.isChanged} />
    </form>
  )
}

const NewFiles = ({ draft: { visibility, chooseVisibility } }: { draft: Draft }) => (
  <div className="field">
    <span className="field-label">{settingsTexts.newFiles}</span>
    <Segments
      label={settingsTexts.newFiles}
      value={visibility}
      options={VISIBILITY_OPTIONS}
      onChoose={chooseVisibility}
    />
    <p className="field-hint">{settingsTexts.newFilesAre[visibility]}</p>
  </div>
)

/** Bar with the save button while there are unsaved edits. */
const SaveBar = ({ draft: { error, discard, isSaving, isValid } }: { draft: Draft }) => (
  <footer className="save-bar">
    <FormError error={error} />
    <p role="status">{settingsTexts.unsaved}</p>
    <Button onClick={discard}>{settingsTexts.discard}</Button>
    <Button look="primary" type="submit" isBusy={isSaving} disabled={!isValid}>
      {settingsTexts.save}
    </Button>
  </footer>
)

/** Dialog before the page closes with unsaved edits. */
function LeaveQuestion({ isChanged }: Pick<Draft, 'isChanged'>) {
  const leaving = useBlocker({
    shouldBlockFn: ({ current, next }) => isChanged && next.pathname !== current.pathname,
    enableBeforeUnload: isChanged,
    withResolver: true,
  })
  if (leaving.status !== 'blocked') return null
  return (
    <Confirm
      title={settingsTexts.leaveTitle}
      action={settingsTexts.leave}
      onConfirm={leaving.proceed}
      onClose={leaving.reset}
    >
      {settingsTexts.leaveText}
    </Confirm>
  )
}

/** Returns the warning for a shorter time, which deletes what is older. */
function lossOf(name: LimitName, days: number | undefined, before: number): string | undefined {
  if (days === undefined || days >= before) return undefined
  const { cutsHistory, cutsTrash, cutsVersions } = settingsTexts
  const amount = formatCount(days, texts.nouns.day)
  if (name === 'activityRetentionDays' || name === 'apiRequestRetentionDays') return cutsHistory(amount)
  if (name === 'trashDays') return days > 0 ? cutsTrash.older(amount) : cutsTrash.all
  if (name === 'versionDays') return days > 0 ? cutsVersions.older(amount) : cutsVersions.all
  return undefined
}
