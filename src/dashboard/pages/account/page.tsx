import type { ReactNode } from 'react'
import { Segments } from '../../components/fields/segments.tsx'
import { Page } from '../../components/page.tsx'
import { THEME_OPTIONS } from '../../lib/options.ts'
import { usePreference } from '../../lib/preference.ts'
import { texts } from '../../texts.ts'
import { themePreference } from '../../theme/theme.ts'
import { Devices } from './devices.tsx'
import { Password } from './password.tsx'
import { Profile } from './profile.tsx'
import { Storage } from './storage.tsx'

/** Page of the own account: name, password, storage, devices. */
export default function AccountPage() {
  return (
    <Page title={texts.pages.account}>
      <div className="cards">
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
  <section className="card" aria-label={title}>
    <header className="card-header">
      <h2>{title}</h2>
      <p>{text}</p>
    </header>
    <div className="card-content">{children}</div>
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
