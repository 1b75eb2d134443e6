import { Search } from 'lucide-react'

interface SearchFieldProps {
  label: string
  value: string
  onChange: (value: string) => void
}

export const SearchField = ({ label, value, onChange }: SearchFieldProps) => (
  <div className="search-field">
    <Search aria-hidden size={16} />
    <input
      type="search"
      className="input"
      placeholder={label}
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  </div>
)
