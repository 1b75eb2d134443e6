import { useState } from 'react'
import { changeSettings, type Limits, type Settings } from '../../api/instance.ts'
import { useFormMutation } from '../../components/fields/form.tsx'
import { toast } from '../../components/overlays/toast.tsx'
import type { Amount } from '../../lib/amount.ts'
import { settingsTexts } from '../../texts/settings.ts'
import {
  amountOf,
  changesOf,
  type Edits,
  editsSince,
  type LimitName,
  limitsOf,
  problemsOf,
} from './limits.ts'

/** Settings with few values. */
type Choices = Pick<Settings, 'defaultVisibility' | 'sharing' | 'requireSecondFactor'>

const CHOICES = ['defaultVisibility', 'sharing', 'requireSecondFactor'] as const

/** Settings in the form. */
export interface Draft {
  choices: Choices
  choose: (choice: Partial<Choices>) => void
  amountOf: (name: LimitName) => Amount
  edit: (name: LimitName, amount: Amount) => void
  changes: Partial<Limits>
  problems: Partial<Record<LimitName, string>>
  isChanged: boolean
  isValid: boolean
  isSaving: boolean
  error: unknown
  discard: () => void
  save: () => void
}

/** Returns the draft of the settings. It stores only edits, so that changes by others show. */
export function useDraft(settings: Settings): Draft {
  const limits = limitsOf(settings)
  const [edits, setEdits] = useState<Edits>({})
  const [chosen, setChosen] = useState<Partial<Choices>>({})
  const change = useFormMutation({ mutationFn: changeSettings })
  const problems = problemsOf(limits, edits)
  const changes = changesOf(limits, edits)
  const { defaultVisibility, sharing, requireSecondFactor } = { ...settings, ...chosen }
  const choices = { defaultVisibility, sharing, requireSecondFactor }
  const isChosen = CHOICES.some((name) => choices[name] !== settings[name])
  const isValid = Object.keys(problems).length === 0

  const discard = () => {
    setEdits({})
    setChosen({})
    change.reset()
  }
  const save = () => {
    if (!isValid) return
    const onSuccess = () => {
      // Edits made during the request are still unsaved.
      setEdits((now) => editsSince(edits, now))
      setChosen((now) => (now === chosen ? {} : now))
      toast.done(settingsTexts.saved)
    }
    const { trashDays, versionDays, ...others } = changes
    change.mutate(
      {
        limits: others,
        ...(trashDays !== undefined && { trashDays }),
        ...(versionDays !== undefined && { versionDays }),
        ...chosen,
      },
      { onSuccess },
    )
  }
  return {
    choices,
    choose: (choice) => setChosen((before) => ({ ...before, ...choice })),
    amountOf: (name) => amountOf(name, limits, edits),
    edit: (name, amount) => setEdits((before) => ({ ...before, [name]: amount })),
    changes,
    problems,
    isChanged: isChosen || !isValid || Object.keys(changes).length > 0,
    isValid,
    isSaving: change.isPending,
    error: change.error,
    discard,
    save,
  }
}
