import { useMutation } from '@tanstack/react-query'
import type { FunctionComponent } from 'react'
import { LANGUAGE_TAGS, LANGUAGES } from '../../../platform/languages.ts'
import { changeLanguage, useStorage } from '../../api/accounts.ts'
import { mustAddFactor } from '../../api/query.ts'
import { useMe } from '../../api/session.ts'
import { optionsOf, Segments, Select, THEME_OPTIONS } from '../../components/fields/select.tsx'
import { Failure, Loading } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { Progress } from '../../components/progress.tsx'
import { Section } from '../../components/section.tsx'
import { formatBytes } from '../../lib/format.ts'
import { usePreference, useStore } from '../../lib/store.ts'
import { accountTexts } from '../../texts/account.ts'
import { passkeyTexts } from '../../texts/passkeys.ts'
import { signInTexts } from '../../texts/sign-in.ts'
import { texts } from '../../texts.ts'
import { DENSITIES, densityPreference, themePreference } from '../../theme/theme.ts'
import { Devices } from './devices.tsx'
import { Password, Profile } from './profile.tsx'
import { Passkeys } from './ways-in/passkeys.tsx'
import { Providers } from './ways-in/providers.tsx'
import { WaysIn } from './ways-in/ways-in.tsx'

/** Page of the own account: name, password, storage, devices. */
export default function AccountPage() {
  const isRequired = useStore(mustAddFactor)
  return (
    <Page title={texts.pages.account}>
      {isRequired && <p role="alert">{signInTexts.required}</p>}
      <div className="stack cards">
        {(isRequired ? [TWO_STEP, PASSKEYS] : WAYS_IN).map(show)}
        <Providers />
        {!isRequired && OTHERS.map(show)}
      </div>
    </Page>
  )
}

interface Entry {
  title: string
  lead: string
  content: FunctionComponent
}

const show = ({ title, lead, content: Content }: Entry) => (
  <Section key={title} title={title} lead={lead} className="own-width">
    <Content />
  </Section>
)

function Theme() {
  const [theme, chooseTheme] = usePreference(themePreference)
  const [density, chooseDensity] = usePreference(densityPreference)
  return (
    <>
      <Segments
        label={accountTexts.appearance}
        value={theme}
        options={THEME_OPTIONS}
        onChoose={chooseTheme}
      />
      <div className="stack gap-1">
        <span className="small medium">{accountTexts.density}</span>
        <Segments
          label={accountTexts.density}
          value={density}
          options={optionsOf(DENSITIES, accountTexts.densities)}
          onChoose={chooseDensity}
        />
      </div>
    </>
  )
}

function LanguageChoice() {
  const { language } = useMe()
  const change = useMutation({ mutationFn: changeLanguage })
  return (
    <Select
      label={accountTexts.language}
      value={language ?? BROWSER}
      options={LANGUAGE_OPTIONS}
      onChoose={(tag) => change.mutate(tag === BROWSER ? null : tag)}
      disabled={change.isPending}
    />
  )
}

/** Storage that the own account uses, of its limit if there is one. */
export function Storage() {
  const { data, error, refetch } = useStorage()
  if (error && !data) return <Failure error={error} onRetry={refetch} />
  if (!data) return <Loading />
  const { usedBytes, quota } = data
  if (quota === null) return <p>{words.used(formatBytes(usedBytes))}</p>
  return (
    <>
      <p>{words.usedOf(formatBytes(usedBytes), formatBytes(quota))}</p>
      <Progress label={words.storage} value={quota === 0 ? 1 : Math.min(usedBytes / quota, 1)} />
      {usedBytes >= quota && <p>{words.storageFull}</p>}
    </>
  )
}

const words = accountTexts
const BROWSER = 'browser'
const LANGUAGE_OPTIONS = [
  { value: BROWSER, label: words.languageOfBrowser } as const,
  ...LANGUAGE_TAGS.map((value) => ({ value, label: LANGUAGES[value] })),
]
const TWO_STEP = { title: signInTexts.title, lead: signInTexts.lead, content: WaysIn }
const PASSKEYS = { title: passkeyTexts.title, lead: passkeyTexts.lead, content: Passkeys }
const WAYS_IN = [
  { title: words.profile, lead: words.profileText, content: Profile },
  { title: words.password, lead: words.passwordText, content: Password },
  TWO_STEP,
  PASSKEYS,
]
const OTHERS = [
  { title: words.storage, lead: words.storageText, content: Storage },
  { title: words.devices, lead: words.devicesText, content: Devices },
  { title: words.language, lead: words.languageText, content: LanguageChoice },
  { title: words.appearance, lead: words.appearanceText, content: Theme },
]
