/** URL of a style sheet that loads with its part of the app. */
declare module '*.css' {
  const url: string
  export default url
}
