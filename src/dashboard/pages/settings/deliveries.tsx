import { useMutation, useQuery } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import type { Webhook, WebhookDelivery } from '../../../client/index.ts'
import { client, inWords } from '../../api/client.ts'
import { refreshing } from '../../api/query.ts'
import { Button } from '../../components/fields/button.tsx'
import { Empty, Failure, Loading } from '../../components/notice.tsx'
import { Dialog } from '../../components/overlays/dialog.tsx'
import { Badge, Time } from '../../components/table.tsx'
import { formatDistance } from '../../lib/format.ts'
import { webhookTexts as words } from '../../texts/webhooks.ts'

/** Time between two readings of deliveries that are under way, in milliseconds. */
const LOOK_MS = 5000

/** Last deliveries of a webhook, newest first. */
export function Deliveries({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['webhook-deliveries', webhook.id],
    queryFn: () => client.webhooks.deliveries(webhook.id),
    staleTime: 0,
    refetchInterval: LOOK_MS,
  })
  return (
    <Dialog title={words.deliveriesOf(webhook.name)} size="side" onClose={onClose}>
      {!data && !error && <Loading />}
      {error && !data && <Failure error={error} onRetry={refetch} />}
      {data?.length === 0 && <Empty icon={Send} title={words.noDeliveries} />}
      <ul aria-label={words.deliveries}>
        {data?.map((delivery) => (
          <Row key={delivery.id} webhook={webhook} delivery={delivery} />
        ))}
      </ul>
    </Dialog>
  )
}

const LOOKS = { pending: 'plain', delivered: 'good', failed: 'danger' } as const

function Row({ webhook, delivery }: { webhook: Webhook; delivery: WebhookDelivery }) {
  const { id, type, state, attempts, status, error, createdAt, nextAt } = delivery
  const retry = useMutation({
    mutationFn: refreshing(() => client.webhooks.retry(webhook.id, id), 'webhook-deliveries'),
  })
  const response = status === null ? inWords(error ?? '') : words.status(status)
  return (
    <li className="visit row top gap-3 anywhere">
      <div className="grow">
        <p className="row wrap gap-2">
          {words.events[type] ?? type}
          <Badge look={LOOKS[state]}>{words.states[state]}</Badge>
        </p>
        <small>
          <Time at={createdAt} />
          {response !== '' && ` · ${response}`}
          {attempts > 1 && ` · ${words.attempts(attempts)}`}
          {nextAt !== null && ` · ${words.next(formatDistance(nextAt))}`}
        </small>
      </div>
      {state === 'failed' && webhook.enabled && (
        <Button isBusy={retry.isPending} onClick={() => retry.mutate()}>
          {words.retry}
        </Button>
      )}
    </li>
  )
}
