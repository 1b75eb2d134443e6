import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startWithAccount } from '../support/fixture.ts'
import { createS3Keys } from '../support/s3.ts'
import { chosenFrom, type RigOptions, type Tally } from '../support/tally.ts'
import { temporaryFolder } from '../support/temporary.ts'

/** Place of a tour, and the commands that it runs there. */
interface Place {
  url: string
  keys: { accessKeyId: string; secretAccessKey: string }
  folder: string
  /** Runs a command of a shell, and returns its output. @throws when it fails. */
  sh: (command: string) => Promise<string>
}

interface Tour {
  name: string
  program: string
  /** Returns what went wrong. */
  run: (place: Place) => Promise<string[]>
}

/** Size of a file that each program sends in parts. */
const LARGE_BYTES = 40_000_000

const unlessSame = (what: string, isSame: boolean) => (isSame ? [] : [what])

const TOURS: readonly Tour[] = [
  {
    name: 'aws-cli',
    program: 'aws',
    run: async ({ url, sh }) => {
      const aws = (words: string) => sh(`aws --endpoint-url ${url} ${words}`)
      await aws('s3 mb s3://tour-aws')
      await aws('s3 sync src s3://tour-aws/in --quiet')
      const idle = await aws('s3 sync src s3://tour-aws/in')
      await aws('s3 sync s3://tour-aws/in back --quiet')
      await sh('diff -r src back')
      await aws('s3 mv s3://tour-aws/in/sub/small.txt s3://tour-aws/out/moved.txt')
      const listed = await aws('s3 ls s3://tour-aws --recursive')
      await aws('s3 rb s3://tour-aws --force')
      return [
        ...unlessSame(`the second sync sent: ${idle}`, idle.trim() === ''),
        ...unlessSame(`the moved file is missing: ${listed}`, listed.includes('out/moved.txt')),
      ]
    },
  },
  {
    name: 'rclone',
    program: 'rclone',
    run: async ({ url, keys, folder, sh }) => {
      const lines = ['[to]', 'type = s3', 'provider = Other', `endpoint = ${url}`]
      const own = [`access_key_id = ${keys.accessKeyId}`, `secret_access_key = ${keys.secretAccessKey}`]
      writeFileSync(join(folder, 'rclone.conf'), [...lines, ...own].join('\n'))
      const rclone = (words: string) => sh(`rclone --config rclone.conf --retries 1 ${words}`)
      await rclone('mkdir to:tour-rclone')
      await rclone('copy --s3-upload-cutoff 10M src to:tour-rclone/in')
      await rclone('check --download src to:tour-rclone/in')
      const idle = await rclone('sync -v src to:tour-rclone/in')
      await rclone('moveto to:tour-rclone/in/large.bin to:tour-rclone/out/large.bin')
      const part = await rclone('cat --offset 5 --count 7 to:tour-rclone/out/large.bin | wc -c')
      await rclone('purge to:tour-rclone')
      return [
        ...unlessSame(`the second sync sent: ${idle}`, idle.includes('nothing to transfer')),
        ...unlessSame(`a range has ${part} bytes`, part.trim() === '7'),
      ]
    },
  },
  {
    name: 's3cmd',
    program: 's3cmd',
    run: async ({ url, keys, folder, sh }) => {
      const { host } = new URL(url)
      const lines = ['[default]', `host_base = ${host}`, `host_bucket = ${host}`, 'use_https = False']
      const own = [`access_key = ${keys.accessKeyId}`, `secret_key = ${keys.secretAccessKey}`]
      writeFileSync(join(folder, 's3cfg'), [...lines, ...own].join('\n'))
      const s3cmd = (words: string) => sh(`s3cmd -c s3cfg --no-progress ${words}`)
      await s3cmd('mb s3://tour-s3cmd')
      await s3cmd('sync src/ s3://tour-s3cmd/in/')
      const idle = await s3cmd('sync src/ s3://tour-s3cmd/in/')
      await s3cmd('get s3://tour-s3cmd/in/large.bin got.bin')
      await sh('cmp got.bin src/large.bin')
      await s3cmd('cp s3://tour-s3cmd/in/sub/small.txt s3://tour-s3cmd/copy.txt')
      await s3cmd('del -r --force s3://tour-s3cmd/')
      await s3cmd('rb s3://tour-s3cmd')
      return unlessSame(`the second sync sent: ${idle}`, !idle.includes('upload:'))
    },
  },
  {
    name: 'restic',
    program: 'restic',
    run: async ({ url, sh }) => {
      const restic = (words: string) => sh(`RESTIC_PASSWORD=tour restic -r s3:${url}/tour-restic ${words}`)
      await restic('init')
      await restic('backup src')
      await restic('backup src')
      const checked = await restic('check --read-data')
      await restic('forget --keep-last 1 --prune')
      await restic('restore latest --target restored')
      await sh('diff -r src restored/src')
      return unlessSame(`the check says: ${checked}`, checked.includes('no errors were found'))
    },
  },
  {
    name: 's3fs',
    program: 's3fs',
    run: async ({ url, sh }) => {
      await sh(`aws --endpoint-url ${url} s3 mb s3://tour-s3fs 2>/dev/null || true`)
      await sh('mkdir mounted')
      const options = `url=${url},use_path_request_style,sigv4,endpoint=auto`
      await sh(
        `AWSACCESSKEYID=$AWS_ACCESS_KEY_ID AWSSECRETACCESSKEY=$AWS_SECRET_ACCESS_KEY s3fs tour-s3fs mounted -o ${options}`,
      )
      try {
        await sh('cp -r src mounted/in && diff -r src mounted/in && mkdir mounted/empty')
        await sh('mv mounted/in/sub/small.txt mounted/moved.txt && echo more >> mounted/moved.txt')
        const read = await sh('cat mounted/moved.txt')
        await sh('rm -r mounted/in mounted/empty mounted/moved.txt')
        return unlessSame(`the appended file has: ${read}`, read.endsWith('more\n'))
      } finally {
        await sh('fusermount -u mounted')
      }
    },
  },
  {
    name: '@aws-sdk/client-s3',
    program: 'npm',
    run: async ({ url, folder, sh }) => {
      const packages = SDK.map((name) => `@aws-sdk/${name}`)
      writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
      await sh(`npm install --ignore-scripts --no-audit --no-fund ${packages.join(' ')}`)
      writeFileSync(join(folder, 'tour.js'), SDK_TOUR)
      const wrong = await sh(`ENDPOINT=${url} node --no-warnings tour.js`)
      return unlessSame(`these differ: ${wrong}`, wrong.trim() === 'done')
    },
  },
]

const SDK = ['client-s3@3.1175.0', 'lib-storage@3.1175.0', 's3-request-presigner@3.1169.0']
/** Tour of the SDK for JavaScript, which Node runs: it sends checksums in trailers, and verifies them. */
const SDK_TOUR = `
import assert from 'node:assert/strict'
import { createReadStream, readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import * as S3 from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'

const Bucket = 'tour-sdk'
const client = new S3.S3Client({ endpoint: process.env.ENDPOINT, region: 'auto', forcePathStyle: true })
const send = (name, input = {}) => client.send(new S3[name + 'Command']({ Bucket, ...input }))
const textOf = async (Key) => (await send('GetObject', { Key, ChecksumMode: 'ENABLED' })).Body.transformToString()

await send('CreateBucket')
await send('PutObject', { Key: 'a b/ä.txt', Body: 'text', Metadata: { kept: 'yes' } })
const head = await send('HeadObject', { Key: 'a b/ä.txt' })
assert.deepEqual([head.ContentLength, head.Metadata.kept], [4, 'yes'])
for (const ChecksumAlgorithm of ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256']) {
  const put = await send('PutObject', { Key: ChecksumAlgorithm, Body: 'text', ChecksumAlgorithm })
  assert.ok(put['Checksum' + ChecksumAlgorithm], ChecksumAlgorithm)
  assert.equal(await textOf(ChecksumAlgorithm), 'text')
}
const large = readFileSync('src/large.bin')
await send('PutObject', { Key: 'stream', Body: createReadStream('src/large.bin'), ContentLength: large.length })
await new Upload({ client, params: { Bucket, Key: 'parts', Body: Readable.from([large]) } }).done()
for (const Key of ['stream', 'parts'])
  assert.ok(large.equals(await (await send('GetObject', { Key, ChecksumMode: 'ENABLED' })).Body.transformToByteArray()), Key)
const range = await send('GetObject', { Key: 'parts', Range: 'bytes=5-11' })
assert.equal(range.ContentRange, 'bytes 5-11/' + large.length)
await send('CopyObject', { Key: 'copy', CopySource: Bucket + '/' + encodeURIComponent('a b/ä.txt') })
assert.equal(await textOf('copy'), 'text')
const signed = (command) => getSignedUrl(client, command, { expiresIn: 60 })
const put = await signed(new S3.PutObjectCommand({ Bucket, Key: 'signed' }))
assert.equal((await fetch(put, { method: 'PUT', body: 'signed' })).status, 200)
assert.equal(await (await fetch(await signed(new S3.GetObjectCommand({ Bucket, Key: 'signed' })))).text(), 'signed')
await assert.rejects(send('PutObject', { Key: 'copy', Body: 'x', IfNoneMatch: '*' }), { name: 'PreconditionFailed' })
await assert.rejects(send('GetObject', { Key: 'missing' }), { name: 'NoSuchKey' })
const keys = []
for await (const page of S3.paginateListObjectsV2({ client, pageSize: 3 }, { Bucket }))
  keys.push(...page.Contents.map(({ Key }) => Key))
assert.deepEqual(keys, ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256', 'a b/ä.txt', 'copy', 'parts', 'signed', 'stream'])
const removed = await send('DeleteObjects', { Delete: { Objects: keys.map((Key) => ({ Key })) } })
assert.equal(removed.Deleted.length, keys.length)
await send('DeleteBucket')
console.log('done')
`

/** Lets programs of others copy, compare, sync, move and remove files by the S3 API. */
export async function rigS3Tours(tally: Tally, options: RigOptions): Promise<void> {
  await using holdfast = await startWithAccount()
  const keys = await createS3Keys(holdfast, holdfast.cookie)
  for (const { name, program, run } of chosenFrom(TOURS, options)) {
    const isThere = Bun.which(program) !== null && (program !== 's3fs' || existsSync('/dev/fuse'))
    if (!isThere) {
      tally.skip(`${name}, because this machine cannot run ${program}`)
      continue
    }
    using temporary = temporaryFolder()
    const folder = temporary.path
    mkdirSync(join(folder, 'src', 'sub'), { recursive: true })
    writeFileSync(
      join(folder, 'src', 'large.bin'),
      Buffer.alloc(LARGE_BYTES, new Bun.CryptoHasher('sha512').update(String(options.seed)).digest()),
    )
    writeFileSync(join(folder, 'src', 'sub', 'small.txt'), 'small\n')
    const place = { url: holdfast.url, keys, folder, sh: shellIn(folder, keys) }
    tally.judge(name, await run(place).catch((error) => [String(error)]))
  }
}

function shellIn(folder: string, { accessKeyId, secretAccessKey }: Place['keys']): Place['sh'] {
  const { AWS_CA_BUNDLE: _, ...inherited } = process.env
  const own = {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_DEFAULT_REGION: 'us-east-1',
  }
  return async (command) => {
    const env = { ...inherited, ...own, HOME: folder }
    const child = Bun.spawn(['sh', '-c', command], { cwd: folder, env, stdout: 'pipe', stderr: 'pipe' })
    const [stdout, stderr] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    const output = stdout + stderr
    if ((await child.exited) !== 0) throw new Error(`${command}: ${output.slice(-500)}`)
    return output
  }
}
