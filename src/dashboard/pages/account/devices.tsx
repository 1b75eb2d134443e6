import { useMutation } from '@tanstack/react-query'
import { Laptop, type LucideIcon, Smartphone, SquareTerminal, Tablet } from 'lucide-react'
import { useState } from 'react'
import { type Device, endOtherSessions, endSession, useSessions } from '../../api/accounts.ts'
import { Button } from '../../components/fields/button.tsx'
import { Failure, Loading } from '../../components/notice.tsx'
import { ConfirmChange } from '../../components/overlays/confirm.tsx'
import { toast } from '../../components/overlays/toast.tsx'
import { Badge, Time } from '../../components/table.tsx'
import { type DeviceKind, deviceName, readDevice } from '../../lib/device.ts'
import { formatDistance } from '../../lib/format.ts'
import { accountTexts } from '../../texts/account.ts'

const ICONS: Record<DeviceKind, LucideIcon> = {
  phone: Smartphone,
  tablet: Tablet,
  computer: Laptop,
  program: SquareTerminal,
}

/** Devices on which the account is signed in. */
export function Devices() {
  const { data: sessions, error, refetch } = useSessions()
  const [isAsking, setAsking] = useState(false)
  if (error) return <Failure error={error} onRetry={refetch} />
  if (!sessions) return <Loading />
  return (
    <>
      <ul className="full">
        {sessions.map((session) => (
          <DeviceRow key={session.id} session={session} />
        ))}
      </ul>
      {sessions.some(({ current }) => !current) && (
        <Button onClick={() => setAsking(true)}>{accountTexts.signOutAll}</Button>
      )}
      {isAsking && (
        <ConfirmChange
          title={accountTexts.signOutAllTitle}
          action={accountTexts.signOutAll}
          change={endOtherSessions}
          done={accountTexts.othersSignedOut}
          onClose={() => setAsking(false)}
        >
          {accountTexts.signOutAllText}
        </ConfirmChange>
      )}
    </>
  )
}

function DeviceRow({ session: { id, userAgent, ipAddress, createdAt, current } }: { session: Device }) {
  const device = readDevice(userAgent)
  const name = deviceName(device)
  const Icon = ICONS[device.kind]
  const end = useMutation({
    mutationFn: () => endSession(id),
    onSuccess: () => toast.done(accountTexts.signedOut(name)),
  })
  return (
    <li className="device row gap-3">
      <Icon aria-hidden size={20} strokeWidth={1.5} />
      <div className="grow">
        <p className="device-name medium" title={userAgent}>
          {name} {current && <Badge look="good">{accountTexts.thisDevice}</Badge>}
        </p>
        <small>
          {ipAddress} · <Time at={createdAt}>{accountTexts.signedIn(formatDistance(createdAt))}</Time>
        </small>
      </div>
      {!current && (
        <Button
          isBusy={end.isPending}
          aria-label={accountTexts.signOutOf(name, ipAddress)}
          onClick={() => end.mutate()}
        >
          {accountTexts.signOut}
        </Button>
      )}
    </li>
  )
}
