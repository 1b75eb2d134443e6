import { useWebhooks, type Webhook } from '../../api/webhooks.ts'
import { Failure, Loading } from '../../components/notice.tsx'
import { Badge } from '../../components/table.tsx'
import { webhookTexts } from '../../texts/webhooks.ts'
import { Section } from './section.tsx'

/** List of the webhooks, without their secrets. */
export function Webhooks() {
  const { data, error, refetch } = useWebhooks()
  return (
    <div className="settings">
      <Section title={webhookTexts.title} lead={webhookTexts.lead}>
        {error && <Failure error={error} onRetry={refetch} />}
        {!data && !error && <Loading />}
        {data?.length === 0 && <p>{webhookTexts.none}</p>}
        {data && data.length > 0 && (
          <ul className="webhooks" aria-label={webhookTexts.list}>
            {data.map((webhook) => (
              <Row key={webhook.id} webhook={webhook} />
            ))}
          </ul>
        )}
        <a href="/docs/webhooks">{webhookTexts.guide}</a>
      </Section>
    </div>
  )
}

const Row = ({ webhook: { name, url, events, enabled, forShares } }: { webhook: Webhook }) => (
  <li>
    <strong>{name}</strong> <Badge>{enabled ? webhookTexts.on : webhookTexts.off}</Badge>{' '}
    {forShares && <Badge>{webhookTexts.forShares}</Badge>}
    <p className="webhook-url">{url}</p>
    <p className="field-hint">
      {events.length === 0
        ? webhookTexts.noEvents
        : events.map((event) => webhookTexts.events[event] ?? event).join(', ')}
    </p>
  </li>
)
