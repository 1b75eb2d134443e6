/** Package as it is published: its document with one version, and the packed files. */
interface Published {
  name: string
  versions: Record<string, { dist: { tarball: string } }>
  _attachments: Record<string, { data: string }>
}

/** Starts an npm registry in memory that serves what is published to it, and nothing else. */
export function startRegistry(): { url: string; asked: string[]; stop: () => Promise<void> } {
  const packages = new Map<string, Published>()
  const asked: string[] = []
  const server = Bun.serve({
    ...{ port: 0, hostname: '127.0.0.1', maxRequestBodySize: 1024 ** 3 },
    async fetch(request) {
      const [, name = '', , file] = decodeURIComponent(new URL(request.url).pathname).split('/')
      if (request.method === 'PUT') {
        packages.set(name, (await request.json()) as Published)
        return Response.json({ ok: true }, { status: 201 })
      }
      const found = packages.get(name)
      if (!found) return Response.json({ error: 'not found' }, { status: 404 })
      const data = file && found._attachments[file]?.data
      if (data) {
        asked.push(name)
        return new Response(Buffer.from(data, 'base64'))
      }
      const { _attachments, ...document } = found
      for (const version of Object.values(document.versions))
        version.dist.tarball = `${server.url}${name}/-/${Object.keys(_attachments)[0]}`
      return Response.json(document)
    },
  })
  return { url: server.url.href, asked, stop: () => server.stop(true) }
}
