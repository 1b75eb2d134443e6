import type { ComponentProps } from 'react'
import { VERSION } from '../../../platform/version.ts'
import { type Settings, useFileSettings, useSettings } from '../../api/instance.ts'
import { useCan } from '../../api/session.ts'
import { AmountField } from '../../components/fields/amounts.tsx'
import { Button } from '../../components/fields/button.tsx'
import { Segments, VISIBILITY_OPTIONS } from '../../components/fields/select.tsx'
import { Failure, FormError, Loading } from '../../components/notice.tsx'
import { LeaveQuestion } from '../../components/overlays/leave-question.tsx'
import { Page } from '../../components/page.tsx'
import { Section } from '../../components/section.tsx'
import { formatCount } from '../../lib/format.ts'
import { settingsTexts } from '../../texts/settings.ts'
import { texts } from '../../texts.ts'
import { type Draft, useDraft } from './draft.ts'
import { ExistingFiles } from './existing-files.tsx'
import { type LimitName, limitsOf, RULES } from './limits.ts'
import { Providers } from './providers.tsx'
import { Webhooks } from './webhooks.tsx'

export default function SettingsPage() {
  const { data, error, refetch } = useSettings()
  const isAdmin = useCan('users:manage')
  return (
    <Page title={texts.pages.settings}>
      {data ? (
        <>
          <SettingsForm settings={data} />
          <Providers />
          {isAdmin && <Webhooks />}
          <p className="note">
            {settingsTexts.version(VERSION)} <a href="/docs/changelog">{settingsTexts.changelog}</a>
          </p>
        </>
      ) : error ? (
        <Failure error={error} onRetry={refetch} />
      ) : (
        <Loading />
      )}
    </Page>
  )
}

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
      className="settings cards flow stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        draft.save()
      }}
    >
      <Section {...settingsTexts.visibility} className="gap-5">
        <ChoiceOf
          label={settingsTexts.newFiles}
          value={draft.choices.defaultVisibility}
          options={VISIBILITY_OPTIONS}
          hint={settingsTexts.newFilesAre[draft.choices.defaultVisibility]}
          onChoose={(defaultVisibility) => draft.choose({ defaultVisibility })}
        />
        <ExistingFiles counts={settings.visibilityCounts} />
      </Section>
      <Section {...settingsTexts.sharing} className="gap-5">
        <ChoiceOf
          label={settingsTexts.mayShare}
          value={draft.choices.sharing}
          options={SHARING_OPTIONS}
          hint={settingsTexts.sharingHints[draft.choices.sharing]}
          onChoose={(sharing) => draft.choose({ sharing })}
        />
        <ShareLifetimes />
      </Section>
      <Section {...settingsTexts.twoStep} className="gap-5">
        <ChoiceOf
          label={settingsTexts.mustTwoStep}
          value={draft.choices.requireSecondFactor}
          options={TWO_STEP_OPTIONS}
          hint={settingsTexts.twoStepHints[draft.choices.requireSecondFactor]}
          onChoose={(requireSecondFactor) => draft.choose({ requireSecondFactor })}
        />
      </Section>
      {GROUPS.map(({ title, lead, limits }) => (
        <Section key={title} title={title} lead={lead} className="gap-5">
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

/** Lifetimes of shares that the environment sets. */
function ShareLifetimes() {
  const { shareDays, maxShareDays } = useFileSettings().data ?? {}
  return (
    <>
      {shareDays !== undefined && (
        <p className="field-hint">{settingsTexts.shareDays(formatCount(shareDays, texts.nouns.day))}</p>
      )}
      {maxShareDays !== undefined && (
        <p className="field-hint">{settingsTexts.shareMaxDays(formatCount(maxShareDays, texts.nouns.day))}</p>
      )}
    </>
  )
}

const SHARING_OPTIONS = (['readers', 'writers', 'nobody'] as const).map((value) => ({
  value,
  label: settingsTexts.sharers[value],
}))

const TWO_STEP_OPTIONS = (['no', 'admins', 'all'] as const).map((value) => ({
  value,
  label: settingsTexts.twoSteppers[value],
}))

type ChoiceOfProps<Value extends string> = ComponentProps<typeof Segments<Value>> & { hint: string }

/** Setting with few values, and what the chosen one means. */
const ChoiceOf = <Value extends string>({ hint, ...segments }: ChoiceOfProps<Value>) => (
  <div className="stack gap-1">
    <span className="small medium">{segments.label}</span>
    <Segments {...segments} />
    <p className="field-hint">{hint}</p>
  </div>
)

/** Bar with the save button while there are unsaved edits. */
const SaveBar = ({ draft: { error, discard, isSaving, isValid } }: { draft: Draft }) => (
  <footer className="save-bar card row wrap">
    <FormError error={error} />
    <p role="status" className="small">
      {settingsTexts.unsaved}
    </p>
    <Button onClick={discard}>{settingsTexts.discard}</Button>
    <Button look="primary" type="submit" isBusy={isSaving} disabled={!isValid}>
      {settingsTexts.save}
    </Button>
  </footer>
)

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
