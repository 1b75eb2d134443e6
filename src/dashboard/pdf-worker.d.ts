/** Imported as a file of its own: its URL. */
declare module 'pdfjs-dist/build/pdf.worker.min.mjs' {
  const url: string
  export default url
}
