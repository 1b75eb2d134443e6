import { Search } from 'lucide-react'
import type { ComponentProps } from 'react'

interface SearchFieldProps extends Omit<ComponentProps<'input'>, 'value' | 'onChange'> {
  label: string
  value: string
  onChange: (value: string) => void
}

export const SearchField = ({ label, value, onChange, ...rest }: SearchFieldProps) => (
  <div className="search-field">
    <Search aria-hidden size={16} />
    <input
      type="search"
      {...rest}
      className="input"
      placeholder={label}
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  </div>
)
