interface ProgressProps {
  label: string
  /** Share from 0 to 1. */
  value: number
}

/** Progress bar in SVG, whose lengths are attributes: the page's policy forbids style attributes. */
export const Progress = ({ label, value }: ProgressProps) => (
  <svg
    className="progress"
    role="progressbar"
    aria-label={label}
    aria-valuenow={Math.round(value * 100)}
    aria-valuemin={0}
    aria-valuemax={100}
    viewBox="0 0 100 4"
    preserveAspectRatio="none"
  >
    <rect className="progress-track" width="100" height="4" />
    <rect className="progress-bar" width={100 * Math.min(value, 1)} height="4" />
  </svg>
)
