import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { forget } from '../../api/activity.ts'
import { Button } from '../../components/fields/button.tsx'
import Confirm from '../../components/overlays/confirm.tsx'
import { toast } from '../../components/overlays/toast.tsx'
import { formatCount } from '../../lib/format.ts'
import { texts } from '../../texts.ts'

/** Button that deletes the entries in view; for the whole history, also the older ones. */
export function Clear({ ids, isAll }: { ids: string[]; isAll: boolean }) {
  const [isAsked, ask] = useState(false)
  const clear = useMutation({
    mutationFn: () => forget(isAll ? { all: true } : { ids }),
    onSuccess: (deleted) => toast.done(texts.activity.cleared(formatCount(deleted, texts.nouns.entry))),
  })
  const action = isAll
    ? texts.activity.clearAll
    : texts.activity.clear(formatCount(ids.length, texts.nouns.entry))
  return (
    <>
      <Button isBusy={clear.isPending} onClick={() => ask(true)}>
        {action}
      </Button>
      {isAsked && (
        <Confirm
          title={isAll ? texts.activity.clearAllTitle : texts.activity.clearTitle}
          action={action}
          onConfirm={() => clear.mutate()}
          onClose={() => ask(false)}
        >
          {texts.activity.clearText}
        </Confirm>
      )}
    </>
  )
}
