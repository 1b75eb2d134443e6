import { useCan } from '../../api/session.ts'
import { useSettings } from '../../api/settings.ts'
import { Failure, Loading } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { texts } from '../../texts.ts'
import { SettingsForm } from './form.tsx'
import { Webhooks } from './webhooks.tsx'

export default function SettingsPage() {
  const { data, error, refetch } = useSettings()
  const isAdmin = useCan('users:manage')
  return (
    <Page title={texts.pages.settings}>
      {data ? (
        <>
          <SettingsForm settings={data} />
          {isAdmin && <Webhooks />}
        </>
      ) : error ? (
        <Failure error={error} onRetry={refetch} />
      ) : (
        <Loading />
      )}
    </Page>
  )
}
