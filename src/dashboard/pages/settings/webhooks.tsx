import { useMutation, useQuery } from '@tanstack/react-query'
import { Ellipsis, List, Pencil, Plus, Power, Send, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { HoldfastError, type NewWebhook, type Webhook, type WebhookFields } from '../../../client/index.ts'
import { client, hasStatus, inWords } from '../../api/client.ts'
import { refreshing } from '../../api/query.ts'
import { Button, Done, IconButton } from '../../components/fields/button.tsx'
import { CopyField } from '../../components/fields/copy-field.tsx'
import { CheckField, TextField } from '../../components/fields/field.tsx'
import { Form, useFormMutation } from '../../components/fields/form.tsx'
import { Failure, Loading } from '../../components/notice.tsx'
import { ConfirmChange } from '../../components/overlays/confirm.tsx'
import { Dialog } from '../../components/overlays/dialog.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../components/overlays/menu.tsx'
import { toast } from '../../components/overlays/toast.tsx'
import { Section } from '../../components/section.tsx'
import { Badge } from '../../components/table.tsx'
import { withMarks } from '../../lib/format.ts'
import { webhookTexts as words } from '../../texts/webhooks.ts'
import { Deliveries } from './deliveries.tsx'

const create = refreshing(client.webhooks.create, 'webhooks', 'share-webhooks')
const change = refreshing(client.webhooks.change, 'webhooks', 'share-webhooks')
const remove = refreshing(client.webhooks.delete, 'webhooks', 'share-webhooks')

/** Dialog above the list. */
type Overlay = { is: 'new' } | { is: 'edit' | 'delete' | 'deliveries'; webhook: Webhook }

/** Section of the webhooks, for admins. */
export function Webhooks() {
  const { data, error, refetch } = useQuery({
    queryKey: ['webhooks'],
    queryFn: client.webhooks.list,
    staleTime: 0,
  })
  const [overlay, setOverlay] = useState<Overlay>()
  return (
    <div className="cards flow stack">
      <Section title={words.title} lead={words.lead} className="gap-5">
        {error && <Failure error={error} onRetry={refetch} />}
        {!data && !error && <Loading />}
        {data?.length === 0 && <p>{words.none}</p>}
        {data && data.length > 0 && (
          <ul className="stack gap-5" aria-label={words.list}>
            {data.map((webhook) => (
              <Row key={webhook.id} webhook={webhook} onOpen={(is) => setOverlay({ is, webhook })} />
            ))}
          </ul>
        )}
        <div className="row wrap gap-4">
          <Button icon={Plus} onClick={() => setOverlay({ is: 'new' })}>
            {words.add}
          </Button>
          <a href="/docs/webhooks">{words.guide}</a>
        </div>
      </Section>
      {overlay && <OpenOverlay overlay={overlay} onClose={() => setOverlay(undefined)} />}
    </div>
  )
}

function OpenOverlay({ overlay, onClose }: { overlay: Overlay; onClose: () => void }) {
  switch (overlay.is) {
    case 'new':
      return <NewWebhookDialog onClose={onClose} />
    case 'edit':
      return <EditWebhook webhook={overlay.webhook} onClose={onClose} />
    case 'deliveries':
      return <Deliveries webhook={overlay.webhook} onClose={onClose} />
    case 'delete': {
      const { id, name } = overlay.webhook
      return (
        <ConfirmChange
          title={words.deleteTitle(withMarks(name))}
          action={words.delete}
          change={() => remove(id)}
          done={words.deleted}
          onClose={onClose}
        >
          {words.deleteText}
        </ConfirmChange>
      )
    }
  }
}

interface RowProps {
  webhook: Webhook
  onOpen: (is: 'edit' | 'delete' | 'deliveries') => void
}

function Row({ webhook: { id, name, url, events, enabled, forShares }, onOpen }: RowProps) {
  const toggle = useMutation({ mutationFn: () => change(id, { enabled: !enabled }) })
  const test = useMutation({ mutationFn: refreshing(client.webhooks.test, 'webhook-deliveries') })
  return (
    <li className="row top gap-3">
      <div className="grow stack gap-1">
        <p className="row wrap gap-2">
          <strong className="anywhere">{withMarks(name)}</strong>
          <Badge look={enabled ? 'good' : 'warning'}>{enabled ? words.on : words.off}</Badge>
          {forShares && <Badge>{words.forShares}</Badge>}
        </p>
        <p className="anywhere small">{url}</p>
        <p className="field-hint">
          {events.length === 0
            ? words.noEvents
            : events.map((event) => words.events[event] ?? event).join(', ')}
        </p>
        <p role="status" className="small">
          {test.isPending ? words.testing : test.data && outcomeOf(test.data)}
        </p>
      </div>
      <Menu title={name} trigger={<IconButton icon={Ellipsis} label={words.actionsOf(withMarks(name))} />}>
        <MenuItem icon={Send} onSelect={() => test.mutate(id)}>
          {words.test}
        </MenuItem>
        <MenuItem icon={List} onSelect={() => onOpen('deliveries')}>
          {words.deliveries}
        </MenuItem>
        <MenuItem icon={Pencil} onSelect={() => onOpen('edit')}>
          {words.edit}
        </MenuItem>
        <MenuItem icon={Power} onSelect={() => toggle.mutate()}>
          {enabled ? words.turnOff : words.turnOn}
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon={Trash2} isDanger onSelect={() => onOpen('delete')}>
          {words.delete}
        </MenuItem>
      </Menu>
    </li>
  )
}

/** Returns the outcome of a test, in words. */
const outcomeOf = ({ state, status, error }: Awaited<ReturnType<typeof client.webhooks.test>>) =>
  state === 'delivered'
    ? words.accepted
    : words.refused(status === null ? inWords(error ?? '') : words.status(status))

/** Dialog that creates a webhook, then shows its secret once. */
function NewWebhookDialog({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<NewWebhook>()
  if (!made)
    return (
      <WebhookForm title={words.add} action={words.add} send={create} onSent={setMade} onClose={onClose} />
    )
  return (
    <Dialog title={words.madeTitle} description={words.madeText} isKept onClose={onClose}>
      <CopyField label={words.secret} text={made.secret} />
      <Done onClose={onClose} />
    </Dialog>
  )
}

const EditWebhook = ({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) => (
  <WebhookForm
    title={words.editOf(webhook.name)}
    action={words.save}
    webhook={webhook}
    send={(fields) => change(webhook.id, fields)}
    onSent={() => {
      toast.done(words.changed)
      onClose()
    }}
    onClose={onClose}
  />
)

interface WebhookFormProps<Sent> {
  title: string
  action: string
  webhook?: Webhook
  send: (fields: WebhookFields) => Promise<Sent>
  onSent: (sent: Sent) => void
  onClose: () => void
}

function WebhookForm<Sent>({ title, action, webhook, send, onSent, onClose }: WebhookFormProps<Sent>) {
  const save = useFormMutation({
    mutationFn: async (fields: WebhookFields) => {
      try {
        return await send(fields)
      } catch (error) {
        // Only the address can be refused: the browser checks the rest.
        throw hasStatus(error, 400) ? new HoldfastError(words.badUrl, { status: 400 }) : error
      }
    },
    onSuccess: onSent,
  })
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        mutation={save}
        action={action}
        onSubmit={(form) =>
          save.mutate({
            name: String(form.get('name')),
            url: String(form.get('url')).trim(),
            events: EVENTS.filter((event) => form.getAll('events').includes(event)),
            forShares: form.has('forShares'),
          })
        }
        onClose={onClose}
      >
        <TextField
          label={words.name}
          name="name"
          defaultValue={webhook?.name}
          maxLength={255}
          autoComplete="off"
          required
        />
        <TextField
          label={words.url}
          hint={words.urlHint}
          name="url"
          type="url"
          inputMode="url"
          defaultValue={webhook?.url}
          placeholder="https://"
          maxLength={2000}
          autoComplete="off"
          required
        />
        <fieldset className="choices">
          <legend className="small medium">{words.send}</legend>
          <div className="stack gap-2">
            {EVENTS.map((event) => (
              <CheckField
                key={event}
                name="events"
                value={event}
                label={words.events[event]}
                defaultChecked={webhook ? webhook.events.includes(event) : event !== 'integrity.failed'}
              />
            ))}
          </div>
        </fieldset>
        <CheckField name="forShares" label={words.offer} defaultChecked={webhook?.forShares} />
      </Form>
    </Dialog>
  )
}

const EVENTS: readonly WebhookFields['events'][number][] = [
  'upload.completed',
  'share.downloaded',
  'share.received',
  'share.ended',
  'integrity.failed',
]
