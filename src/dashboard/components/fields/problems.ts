import { texts } from '../../texts.ts'

/** Returns the errors of a form's invalid inputs by their names, in the words of the dashboard. */
export function problemsOf(form: HTMLFormElement): Map<string, string> {
  const inputs = [...form.elements].filter((element) => element instanceof HTMLInputElement)
  return new Map(
    inputs.filter(({ validity }) => !validity.valid).map((input) => [input.name, problemOf(input)]),
  )
}

function problemOf({ validity, type, minLength, title, validationMessage }: HTMLInputElement): string {
  const { missing, email, short } = texts.fieldProblems
  if (validity.valueMissing) return missing
  if (validity.tooShort) return short(minLength)
  // The title of an input with a pattern says what the pattern expects (HTML, the pattern attribute).
  if (validity.patternMismatch) return title
  return validity.typeMismatch && type === 'email' ? email : validationMessage
}
