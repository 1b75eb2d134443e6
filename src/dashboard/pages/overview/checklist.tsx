import { Check, X } from 'lucide-react'
import type { ReactNode } from 'react'
import type { InstanceStats } from '../../api/instance.ts'
import { useMe, useSetup } from '../../api/session.ts'
import { IconButton } from '../../components/fields/button.tsx'
import { Pane } from '../../components/page.tsx'
import { ADDRESS_DOCS, BACKUP_DOCS } from '../../lib/paths.ts'
import { Link } from '../../lib/router.tsx'
import { createPreference, usePreference } from '../../lib/store.ts'
import { overviewTexts } from '../../texts/overview.ts'

const { steps } = overviewTexts.checklist

interface Step {
  name: keyof typeof steps
  isDone: boolean
  action: ReactNode
}

/** Starts when this browser shows an empty instance, so that an instance in use never gets a checklist. */
export const checklistPreference = createPreference('checklist', ['new', 'started', 'closed'], 'new')
const backupPreference = createPreference('backup-planned', ['no', 'yes'], 'no')

/** True for a host name that other machines cannot open. */
const isLocal = (hostname: string) => /^(localhost|127\..*|\[::1\])$/.test(hostname)

/** First steps of a new instance, as far as the account has permission. */
export function Checklist({ stats }: { stats: InstanceStats }) {
  const found = useSteps(stats)
  const [, setState] = usePreference(checklistPreference)
  const done = found.filter(({ isDone }) => isDone).length
  if (found.length === 0) return null
  return (
    <Pane
      title={overviewTexts.checklist.title}
      className="checklist"
      aside={
        <span className="checklist-aside row">
          <small>{overviewTexts.checklist.progress(done, found.length)}</small>
          <IconButton icon={X} label={overviewTexts.checklist.close} onClick={() => setState('closed')} />
        </span>
      }
    >
      <ol>
        {found.map(({ name, isDone, action }) => (
          <li key={name} className={`top small ${isDone ? 'is-done' : ''}`}>
            <span className="checklist-mark stack in-middle">
              {isDone && <Check aria-hidden size={14} strokeWidth={3} />}
            </span>
            <div>
              <strong className={isDone ? 'medium soft' : ''}>
                {steps[name].title}
                {isDone && <span className="visually-hidden"> ({overviewTexts.checklist.done})</span>}
              </strong>
              {!isDone && <p className="soft">{steps[name].text}</p>}
            </div>
            {!isDone && <span className="checklist-action row wrap at-end">{action}</span>}
          </li>
        ))}
      </ol>
    </Pane>
  )
}

function useSteps({ files, apiKeys, users }: InstanceStats): Step[] {
  const { scopes } = useMe()
  const setup = useSetup(true)
  const [backup, setBackup] = usePreference(backupPreference)
  const isAdmin = scopes.includes('settings:manage')
  const step = (name: Step['name'], isDone: boolean, action: ReactNode): Step => ({ name, isDone, action })
  return [
    ...(files && scopes.includes('files:write')
      ? [step('upload', files.total > 0, <Link to="/files">{steps.upload.action}</Link>)]
      : []),
    ...(isAdmin
      ? [
          step(
            'address',
            setup.data !== undefined && setup.data.originTrusted !== false && !isLocal(location.hostname),
            <DocsLink href={ADDRESS_DOCS}>{steps.address.action}</DocsLink>,
          ),
          step(
            'backup',
            backup === 'yes',
            <>
              <DocsLink href={BACKUP_DOCS}>{steps.backup.action}</DocsLink>
              <button type="button" className="link-button" onClick={() => setBackup('yes')}>
                {steps.backup.planned}
              </button>
            </>,
          ),
        ]
      : []),
    ...(apiKeys && scopes.includes('api-keys:manage')
      ? [step('key', apiKeys.total > 0, <Link to="/keys">{steps.key.action}</Link>)]
      : []),
    ...(users ? [step('users', users.total > 1, <Link to="/users">{steps.users.action}</Link>)] : []),
  ]
}

const DocsLink = ({ href, children }: { href: string; children: ReactNode }) => (
  <a href={href} target="_blank" rel="noreferrer">
    {children}
  </a>
)
