import { type ReactNode, useId } from 'react'

interface Choice<Value extends string> {
  value: Value
  label: string
  /** Explanation of the choice. */
  hint: string
}

interface ChoiceCardProps<Value extends string> {
  type: 'radio' | 'checkbox'
  name: string
  choice: Choice<Value>
  isChosen: boolean
  onChange: () => void
}

function ChoiceCard<Value extends string>({
  type,
  name,
  choice,
  isChosen,
  onChange,
}: ChoiceCardProps<Value>) {
  const id = useId()
  return (
    <div className="choice">
      <input
        id={id}
        type={type}
        name={name}
        className="checkbox"
        checked={isChosen}
        aria-describedby={`${id}-hint`}
        onChange={onChange}
      />
      <label className="small medium" htmlFor={id}>
        {choice.label}
      </label>
      <p id={`${id}-hint`} className="note">
        {choice.hint}
      </p>
    </div>
  )
}

const Choices = ({ label, children }: { label: string; children: ReactNode }) => (
  <fieldset className="choices">
    <legend className="small medium">{label}</legend>
    <div className="choices-list">{children}</div>
  </fieldset>
)

interface ChooseOneProps<Value extends string> {
  label: string
  value: Value
  choices: readonly Choice<Value>[]
  onChoose: (value: Value) => void
}

/** Choice of one of few options, each explained. */
export function ChooseOne<Value extends string>({ label, value, choices, onChoose }: ChooseOneProps<Value>) {
  const name = useId()
  return (
    <Choices label={label}>
      {choices.map((choice) => (
        <ChoiceCard
          key={choice.value}
          type="radio"
          name={name}
          choice={choice}
          isChosen={choice.value === value}
          onChange={() => onChoose(choice.value)}
        />
      ))}
    </Choices>
  )
}

interface ChooseManyProps<Value extends string> {
  label: string
  values: readonly Value[]
  choices: readonly Choice<Value>[]
  onChoose: (values: Value[]) => void
}

/** Choice of several of few options, each explained. */
export function ChooseMany<Value extends string>({
  label,
  values,
  choices,
  onChoose,
}: ChooseManyProps<Value>) {
  const name = useId()
  const toggle = (value: Value) =>
    onChoose(values.includes(value) ? values.filter((chosen) => chosen !== value) : [...values, value])
  return (
    <Choices label={label}>
      {choices.map((choice) => (
        <ChoiceCard
          key={choice.value}
          type="checkbox"
          name={name}
          choice={choice}
          isChosen={values.includes(choice.value)}
          onChange={() => toggle(choice.value)}
        />
      ))}
    </Choices>
  )
}
