import type { ComponentProps } from 'react'
import { withMarks } from '../../lib/marks.ts'
import type { Selection } from '../../lib/selection.ts'
import { texts } from '../../texts.ts'

interface SelectBoxProps extends Pick<ComponentProps<'input'>, 'tabIndex' | 'onClick'> {
  id: string
  name: string
  selection: Pick<Selection<never>, 'has' | 'toggle' | 'extendTo'>
}

/** Checkbox in a larger area that a finger hits, with an optional text. */
export const CheckTarget = ({ children, ...input }: ComponentProps<'input'>) => (
  <label className="check-target">
    <input type="checkbox" className="checkbox" {...input} />
    {children}
  </label>
)

/** Checkbox that selects an item; with Shift, everything up to it. */
export const SelectBox = ({ id, name, selection, ...rest }: SelectBoxProps) => (
  <CheckTarget
    {...rest}
    aria-label={texts.files.select(withMarks(name))}
    checked={selection.has(id)}
    onChange={({ nativeEvent }) =>
      nativeEvent instanceof globalThis.MouseEvent && nativeEvent.shiftKey
        ? selection.extendTo(id)
        : selection.toggle(id)
    }
  />
)
