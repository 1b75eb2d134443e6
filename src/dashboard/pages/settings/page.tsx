import { useSettings } from '../../api/settings.ts'
import { Failure, Loading } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { texts } from '../../texts.ts'
import { SettingsForm } from './form.tsx'

export default function SettingsPage() {
  const { data, error, refetch } = useSettings()
  return (
    <Page title={texts.pages.settings}>
      {data ? (
        <SettingsForm settings={data} />
      ) : error ? (
        <Failure error={error} onRetry={refetch} />
      ) : (
        <Loading />
      )}
    </Page>
  )
}
