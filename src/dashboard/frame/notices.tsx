import { CloudOff, TriangleAlert } from 'lucide-react'
import { isReachable } from '../api/reachability.ts'
import { useSetup } from '../api/session.ts'
import { CopyField } from '../components/fields/copy-field.tsx'
import { useStore } from '../lib/store.ts'
import { texts } from '../texts.ts'

/** Banners above every page, about the server as a whole. */
export const Notices = () => (
  <>
    <AddressNotice />
    <OfflineNotice />
  </>
)

/** Banner for a server that refuses changes from this address. It shows the variable to set. */
function AddressNotice() {
  const { data } = useSetup(true)
  if (!data || data.originTrusted) return null
  const { title, text, line, elsewhere } = texts.addressNotice
  return (
    <section className="notice-bar" aria-label={title}>
      <TriangleAlert aria-hidden size={20} />
      <div className="notice-bar-text">
        <strong>{title}</strong>
        <p>{text(location.origin)}</p>
        <CopyField label={line} text={`BASE_URL=${location.origin}`} />
        <p>{elsewhere}</p>
      </div>
    </section>
  )
}

function OfflineNotice() {
  if (useStore(isReachable)) return null
  return (
    <section className="notice-bar" role="status">
      <CloudOff aria-hidden size={20} />
      <p className="notice-bar-text">{texts.errors.offline}</p>
    </section>
  )
}
