import { useMutation, useQuery } from '@tanstack/react-query'
import { Link2, UserMinus } from 'lucide-react'
import { useState } from 'react'
import type { People as FolderPeople, PeopleChange, Right } from '../../../../client/index.ts'
import { useUsers } from '../../../api/accounts.ts'
import { client } from '../../../api/client.ts'
import { queryClient, refresh } from '../../../api/query.ts'
import { Button, IconButton } from '../../../components/fields/button.tsx'
import { SelectField } from '../../../components/fields/field.tsx'
import { Form, useFormMutation } from '../../../components/fields/form.tsx'
import { RightsFields } from '../../../components/fields/rights-fields.tsx'
import { FolderKey } from '../../../components/folder-key.tsx'
import { lazyComponent } from '../../../components/lazy.tsx'
import { Failure, Loading } from '../../../components/notice.tsx'
import { Dialog } from '../../../components/overlays/dialog.tsx'
import { toast } from '../../../components/overlays/toast.tsx'
import { RowName } from '../../../components/table.tsx'
import { formatList, withMarks } from '../../../lib/format.ts'
import { describeRights } from '../../../lib/levels.ts'
import { parentKey } from '../../../lib/paths.ts'
import { rightsTexts as words } from '../../../texts/rights.ts'
import type { FolderItem } from '../items.ts'

type Person = FolderPeople['people'][number]

/** Account that gets rights in a folder, or every account. */
const EVERYONE = 'everyone'
const holderOf = (holder: string) => (holder === EVERYONE ? { everyone: true } : { userId: holder })

async function setPeople(change: PeopleChange): Promise<void> {
  queryClient.setQueryData(['people', change.id], await client.people.set(change))
  await refresh('users', 'people')
}

interface PeopleProps {
  folder: FolderItem
  onClose: () => void
}

const Invite = lazyComponent(async () => ({
  default: (await import('../../users/invitations.tsx')).Invite,
}))

/** Accounts that were let into a folder, and those that have it from above. */
export default function People({ folder, onClose }: PeopleProps) {
  const [isInviting, setInviting] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: ['people', folder.id],
    queryFn: () => client.people.list(folder.id),
    staleTime: 0,
  })
  if (isInviting) {
    const { id: folderId, key, name } = folder
    return <Invite folders={[{ folderId, key, name, rights: ['read'] }]} onClose={onClose} />
  }
  return (
    <Dialog title={words.title(folder.name)} description={words.lead} size="side" onClose={onClose}>
      {error && <Failure error={error} onRetry={refetch} />}
      {!data && !error && <Loading />}
      {data && (
        <>
          <ul className="people stack gap-4">
            {data.people.map((person) => (
              <PersonRow key={`${person.user?.id} ${person.folderId}`} folder={folder} person={person} />
            ))}
          </ul>
          {data.people.length === 0 && <p className="soft">{words.none}</p>}
          <Everywhere accounts={data.everywhere} />
          <LetIn folder={folder} people={data.people} />
          <Button look="quiet" icon={Link2} onClick={() => setInviting(true)}>
            {words.invite}
          </Button>
        </>
      )}
    </Dialog>
  )
}

function PersonRow({ folder, person }: { folder: FolderItem; person: Person }) {
  const { user, rights, byGroups, inherited, key } = person
  const name = user?.name ?? words.everyone
  const change = useMutation({
    mutationFn: (chosen: Right[]) =>
      setPeople({ id: folder.id, ...holderOf(user?.id ?? EVERYONE), rights: chosen }),
    onSuccess: (_data, chosen) => {
      if (chosen.length === 0) toast.done(words.letOutDone(name))
    },
  })
  return (
    <li className="stack gap-2">
      <div className="row apart gap-3">
        <RowName note={user?.email ?? words.everyoneNote}>{withMarks(name)}</RowName>
        {byGroups && <small>{words.byGroups}</small>}
        {!inherited && !byGroups && (
          <IconButton icon={UserMinus} label={words.letOut(name)} onClick={() => change.mutate([])} />
        )}
      </div>
      {inherited ? (
        <p className="note">
          {describeRights(rights)}, {words.from} <FolderKey of={key} />
        </p>
      ) : (
        <RightsFields
          of={name}
          rights={change.isPending ? change.variables : rights}
          onChange={(chosen) => change.mutate(chosen)}
        />
      )}
    </li>
  )
}

/** Line about the accounts that are not limited. */
function Everywhere({ accounts }: { accounts: FolderPeople['everywhere'] }) {
  const names = accounts.map(({ name }) => withMarks(name))
  return names.length > 0 && <p className="note">{words.everything(formatList(names))}</p>
}

/** Form that lets an account into the folder. */
function LetIn({ folder, people }: { folder: FolderItem; people: readonly Person[] }) {
  const { data: users = [] } = useUsers()
  const isIn = (id: string) =>
    people.some(({ user, inherited }) => !inherited && (user?.id ?? EVERYONE) === id)
  const holders = [
    ...users.flatMap(({ id, name, folders }) =>
      folders === null ? [] : [{ value: id, label: withMarks(name) }],
    ),
    { value: EVERYONE, label: words.everyone },
  ].filter(({ value }) => !isIn(value))
  const [chosen, setHolder] = useState('')
  const [rights, setRights] = useState<Right[]>(['read'])
  const holder = holders.find(({ value }) => value === chosen) ?? holders[0]
  const change = useFormMutation({
    mutationFn: ({ value }: { value: string; label: string }) =>
      setPeople({ id: folder.id, ...holderOf(value), rights }),
    onSuccess: (_data, { label }) => toast.done(words.letInDone(label)),
  })
  if (!holder) return null
  const sees = parentKey(folder.key) === '' ? words.seesTop : words.sees
  return (
    <section className="people-form stack">
      <h3 className="small medium">{words.letInTitle}</h3>
      <Form mutation={change} action={words.letIn} onSubmit={() => change.mutate(holder)}>
        <SelectField label={words.account} value={holder.value} options={holders} onChoose={setHolder} />
        <RightsFields of={holder.label} rights={rights} onChange={setRights} />
        <p className="note">
          {sees(
            holder.value === EVERYONE ? words.everyoneSees : holder.label,
            folder.key.split('/').map(withMarks).join(' / '),
          )}
        </p>
      </Form>
      {holders.length === 1 && <p className="note">{words.noAccounts}</p>}
    </section>
  )
}
