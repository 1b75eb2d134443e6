/** Saves text as a file. */
export function saveText(name: string, text: string): void {
  const link = document.createElement('a')
  link.href = `data:application/octet-stream,${encodeURIComponent(text)}`
  link.download = name
  link.click()
}
