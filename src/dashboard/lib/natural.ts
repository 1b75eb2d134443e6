/** Compares names as people order them: numbers by their value, and letters without regard to case and accents. */
export const compareNaturally = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' }).compare
