/** URL of a file that is not bundled. */
declare module 'pdfjs-dist/build/pdf.worker.min.mjs' {
  const url: string
  export default url
}
