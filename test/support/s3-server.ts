import { S3Store } from './s3-store.ts'

/** Serves an object store in memory until the standard input ends, and prints its location as JSON. */

const store = await S3Store.start()
// Bodies of requests would fill the memory.
store.fault = () => {
  store.requests.length = 0
  return undefined
}
console.log(JSON.stringify(store.location))
await Bun.stdin.text()
process.exit()
