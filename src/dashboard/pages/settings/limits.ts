import type { Limits, Settings } from '../../api/instance.ts'
import { type Amount, fromAmount, sayAmount, toAmount, type Unit } from '../../lib/amount.ts'
import { BYTE_UNITS } from '../../lib/format.ts'
import { settingsTexts } from '../../texts/settings.ts'
import { texts } from '../../texts.ts'

export type LimitName = keyof Limits

const DAY = 86_400
const BYTES: Unit[] = BYTE_UNITS.slice(0, 5).map((label, power) => ({ label, factor: 1024 ** power }))
const unitOf = ({ one, other }: { one: string; other: string }, factor: number): Unit => ({
  ...{ label: other, one },
  factor,
})
const { second, minute, hour, week, year } = settingsTexts.units
const { day } = texts.nouns
const SECONDS = [unitOf(second, 1), unitOf(minute, 60), unitOf(hour, 3600), unitOf(day, DAY)]
const DAYS = [unitOf(day, 1), unitOf(week, 7), unitOf(year, 365)]

interface Rule {
  units: readonly Unit[]
  minimum: number
  maximum: number
}

/** Maximum lifetime in days, a hundred years. */
const MAX_DAYS = 36_500

export const RULES: Record<LimitName, Rule> = {
  maxUploadSize: { units: BYTES, minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  defaultPresignTtl: { units: SECONDS, minimum: 1, maximum: MAX_DAYS * DAY },
  maxPresignTtl: { units: SECONDS, minimum: 1, maximum: MAX_DAYS * DAY },
  hostingCacheMaxAge: { units: SECONDS, minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  activityRetentionDays: { units: DAYS, minimum: 1, maximum: MAX_DAYS },
  apiRequestRetentionDays: { units: DAYS, minimum: 1, maximum: MAX_DAYS },
  trashDays: { units: DAYS, minimum: 0, maximum: MAX_DAYS },
  versionDays: { units: DAYS, minimum: 0, maximum: MAX_DAYS },
}

/** Returns the settings that are numbers. */
export const limitsOf = ({ limits, trashDays, versionDays }: Settings): Limits => ({
  ...limits,
  trashDays,
  versionDays,
})

/** Edited limits. */
export type Edits = Partial<Record<LimitName, Amount>>

export const amountOf = (name: LimitName, limits: Limits, edits: Edits): Amount =>
  edits[name] ?? toAmount(limits[name], RULES[name].units)

/** Returns the errors of the limits, each in the words of its field. */
export function problemsOf(limits: Limits, edits: Edits): Partial<Record<LimitName, string>> {
  const problems: Partial<Record<LimitName, string>> = {}
  for (const name of namesOf(edits)) {
    const problem = problemOf(name, amountOf(name, limits, edits))
    if (problem) problems[name] = problem
  }
  const { defaultPresignTtl, maxPresignTtl } = { ...limits, ...changesOf(limits, edits) }
  if (defaultPresignTtl > maxPresignTtl) problems.defaultPresignTtl ??= settingsTexts.longerThanLongest
  return problems
}

function problemOf(name: LimitName, amount: Amount): string | undefined {
  const { units, minimum, maximum } = RULES[name]
  const value = fromAmount(amount)
  if (value === undefined) return settingsTexts.notANumber
  if (value < minimum) return settingsTexts.atLeast(sayAmount(minimum, units))
  return value > maximum ? settingsTexts.atMost(sayAmount(maximum, units)) : undefined
}

/** Returns the limits with a changed value. */
export function changesOf(limits: Limits, edits: Edits): Partial<Limits> {
  const changes: Partial<Limits> = {}
  for (const name of namesOf(edits)) {
    const value = fromAmount(amountOf(name, limits, edits))
    if (value !== undefined && value !== limits[name]) changes[name] = value
  }
  return changes
}

/** Returns the edits since `saved`. */
export function editsSince(saved: Edits, edits: Edits): Edits {
  const left = { ...edits }
  for (const name of namesOf(saved)) if (left[name] === saved[name]) delete left[name]
  return left
}

const isLimit = (name: string): name is LimitName => name in RULES

const namesOf = (edits: Edits): LimitName[] => Object.keys(edits).filter(isLimit)
