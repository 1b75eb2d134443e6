import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { useKeys } from '../../api/keys.ts'
import { useMe } from '../../api/session.ts'
import { Button } from '../../components/fields/button.tsx'
import { Empty, Failure, Loading } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { API_DOCS } from '../../lib/paths.ts'
import { KEY_SCOPES } from '../../lib/scopes.ts'
import { keyTexts } from '../../texts/keys.ts'
import { DeleteKey, RenameKey } from './changes.tsx'
import { KeyTable } from './key-table.tsx'
import { NewKey } from './new-key.tsx'
import type { Overlay } from './overlay.ts'

/** Page of the account's API keys. */
export default function KeysPage() {
  const [overlay, setOverlay] = useState<Overlay>()
  const { scopes } = useMe()
  const mayMake = KEY_SCOPES.some((scope) => scopes.includes(scope))
  const newKey = mayMake && (
    <Button look="primary" icon={Plus} onClick={() => setOverlay({ is: 'new' })}>
      {keyTexts.new}
    </Button>
  )
  const { data: keys, error, refetch } = useKeys()
  const hasKeys = keys !== undefined && keys.length > 0
  return (
    <Page title={keyTexts.title} actions={hasKeys && newKey}>
      <p className="page-lead">
        {mayMake ? keyTexts.lead : keyTexts.noScopes}{' '}
        <a href={API_DOCS} target="_blank" rel="noreferrer">
          {keyTexts.apiDocs}
        </a>
      </p>
      {error && <Failure error={error} onRetry={refetch} />}
      {!keys && !error && <Loading />}
      {hasKeys && <KeyTable keys={keys} onChange={setOverlay} />}
      {keys?.length === 0 && (
        <Empty icon={KeyRound} title={keyTexts.empty}>
          {mayMake && <p>{keyTexts.emptyText}</p>}
          {newKey}
        </Empty>
      )}
      <Overlays overlay={overlay} onClose={() => setOverlay(undefined)} />
    </Page>
  )
}

function Overlays({ overlay, onClose }: { overlay: Overlay | undefined; onClose: () => void }) {
  switch (overlay?.is) {
    case undefined:
      return null
    case 'new':
      return <NewKey onClose={onClose} />
    case 'rename':
      return <RenameKey apiKey={overlay.key} onClose={onClose} />
    case 'delete':
      return <DeleteKey apiKey={overlay.key} onClose={onClose} />
  }
}
