import { Fragment } from 'react'
import { withMarks } from '../lib/format.ts'

/** Object key of a folder, which breaks between its folders rather than within a name. */
export const FolderKey = ({ of }: { of: string }) =>
  of.split('/').map((name, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the names of a path have no other identity
    <Fragment key={index}>
      {index > 0 && '/'}
      {index > 0 && <wbr />}
      {withMarks(name)}
    </Fragment>
  ))
