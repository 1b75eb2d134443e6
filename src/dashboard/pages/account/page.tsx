import type { ReactNode } from 'react'
import { useStorage } from '../../api/accounts.ts'
import { Segments, THEME_OPTIONS } from '../../components/fields/select.tsx'
import { Failure, Loading } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { Progress } from '../../components/progress.tsx'
import { formatBytes } from '../../lib/format.ts'
import { usePreference } from '../../lib/store.ts'
import { texts } from '../../texts.ts'
import { themePreference } from '../../theme/theme.ts'
import { Devices } from './devices.tsx'
import { Password, Profile } from './profile.tsx'

/** Page of the own account: name, password, storage, devices. */
export default function AccountPage() {
  return (
    <Page title={texts.pages.account}>
      <div className="stack cards">
        <Section title={texts.ownAccount.profile} text={texts.ownAccount.profileText}>
          <Profile />
        </Section>
        <Section title={texts.ownAccount.password} text={texts.ownAccount.passwordText}>
          <Password />
        </Section>
        <Section title={texts.ownAccount.storage} text={texts.ownAccount.storageText}>
          <Storage />
        </Section>
        <Section title={texts.ownAccount.devices} text={texts.ownAccount.devicesText}>
          <Devices />
        </Section>
        <Section title={texts.ownAccount.appearance} text={texts.ownAccount.appearanceText}>
          <Theme />
        </Section>
      </div>
    </Page>
  )
}

const Section = ({ title, text, children }: { title: string; text: string; children: ReactNode }) => (
  <section className="card section" aria-label={title}>
    <header className="section-header">
      <h2>{title}</h2>
      <p>{text}</p>
    </header>
    <div className="section-content">{children}</div>
  </section>
)

function Theme() {
  const [theme, chooseTheme] = usePreference(themePreference)
  return (
    <Segments
      label={texts.ownAccount.appearance}
      value={theme}
      options={THEME_OPTIONS}
      onChoose={chooseTheme}
    />
  )
}

/** Storage that the own account uses, of its limit if there is one. */
export function Storage() {
  const { data, error, refetch } = useStorage()
  if (error && !data) return <Failure error={error} onRetry={refetch} />
  if (!data) return <Loading />
  const { usedBytes, quota } = data
  const words = texts.ownAccount
  if (quota === null) return <p>{words.used(formatBytes(usedBytes))}</p>
  return (
    <>
      <p>{words.usedOf(formatBytes(usedBytes), formatBytes(quota))}</p>
      <Progress label={words.storage} value={quota === 0 ? 1 : Math.min(usedBytes / quota, 1)} />
      {usedBytes >= quota && <p>{words.storageFull}</p>}
    </>
  )
}
