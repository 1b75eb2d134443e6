import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Alert } from '../../api/instance.ts'
import { formatNumber } from '../../language.ts'
import { formatBytes, formatCount, formatList, formatWhen, parseTime } from '../../lib/format.ts'
import { Link } from '../../lib/router.tsx'
import { overviewTexts } from '../../texts/overview.ts'
import { texts } from '../../texts.ts'

/** Problems that need attention, each with its solution. Unknown types are skipped. */
export function Alerts({ alerts }: { alerts: Alert[] }) {
  const told = alerts.flatMap((alert) => {
    const told = tell(alert)
    return told ? [{ type: alert.type, ...told }] : []
  })
  if (told.length === 0) return null
  return (
    <section className="alerts" aria-label={overviewTexts.alerts}>
      <ul className="card">
        {told.map(({ type, what, remedy, action }) => (
          <li key={type} className={`row gap-3 small ${GRAVE.has(type) ? 'is-grave' : ''}`}>
            <TriangleAlert aria-hidden size={18} />
            <p className="grow soft">
              <strong>{what}</strong> {remedy}
            </p>
            {action}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Problems that lose data or stop uploads if nothing is done. */
const GRAVE: ReadonlySet<Alert['type']> = new Set([
  'security-release',
  'cache-owed',
  'storage-low',
  'integrity',
  'unfinished',
  'certificate-unusable',
  'certificate-expiring',
  'certificate-refused',
])

interface Told {
  what: string
  remedy: string
  action?: ReactNode
}

function tell(alert: Alert): Told | undefined {
  const words = overviewTexts.alert
  switch (alert.type) {
    case 'security-release':
      return { what: words.securityRelease(alert.version), remedy: words.securityRemedy }
    case 'certificate-unusable':
      return { what: words.certificateUnusable, remedy: words.certificateUnusableRemedy }
    case 'certificate-expiring': {
      const when = formatWhen(alert.expiresAt)
      const isOver = parseTime(alert.expiresAt) <= new Date()
      return {
        what: isOver ? words.certificateExpired(when) : words.certificateExpiring(when),
        remedy: words.certificateExpiringRemedy,
      }
    }
    case 'certificate-refused': {
      const reason = alert.names[0]?.reason ?? ''
      return {
        what: words.certificateRefused(formatList(alert.names.map(({ name }) => name))),
        remedy: words.certificateRefusedRemedy(reason.replace(/\.$/, '')),
      }
    }
    case 'storage-low':
      return {
        what: words.storageLow(formatBytes(alert.available), formatBytes(alert.capacity)),
        remedy: words.storageRemedy,
        action: <a href="#largest">{words.seeLargest}</a>,
      }
    case 'database-log':
      return {
        what: words.databaseLog(formatBytes(alert.size), formatBytes(alert.limit)),
        remedy: words.databaseLogRemedy,
      }
    case 'cache-owed':
      return {
        what: words.cacheOwed(formatCount(alert.count, texts.nouns.change), formatWhen(alert.since)),
        remedy: words.cacheOwedRemedy,
      }
    case 'integrity':
      return tellIntegrity(alert)
    case 'unfinished':
      return {
        what: words.unfinished(formatCount(alert.count, texts.nouns.change)),
        remedy: words.unfinishedRemedy,
      }
    case 'uploads-failed':
    case 'deletes-failed': {
      const noun = alert.type === 'uploads-failed' ? texts.nouns.upload : texts.nouns.delete
      return {
        what: words.failed(formatCount(alert.count, noun), formatWhen(alert.latest)),
        remedy: words.failedRemedy,
        action: (
          <Link to="/activity" search={{ show: 'failed' }}>
            {words.seeFailed}
          </Link>
        ),
      }
    }
    case 'keys-expired':
    case 'keys-expiring':
    case 'keys-unused':
      return {
        what: words[alert.type](formatNumber(alert.count)),
        remedy: words.keyRemedy[alert.type],
        action: <Link to="/keys">{words.seeKeys}</Link>,
      }
    default:
      // Each known type has a case, or this is a type error. A page that is older than its server may get another.
      alert satisfies never
      return undefined
  }
}

/** Returns the text about damaged files, with their places. */
function tellIntegrity(alert: Alert & { type: 'integrity' }): Told {
  const words = overviewTexts.alert
  const { count, trash = 0, versions = 0 } = alert
  const files = count - trash - versions
  const parts = [
    files > 0 ? [formatCount(files, texts.nouns.file)] : [],
    trash > 0 ? [formatCount(trash, words.inTrash)] : [],
    versions > 0 ? [formatCount(versions, words.ofVersions)] : [],
  ].flat()
  return {
    what: words.integrity(formatList(parts), count),
    remedy: files > 0 ? words.integrityRemedy : words.integrityHeldRemedy,
  }
}
