import { documented } from '../../api/openapi/described.ts'
import { FILE } from '../../api/openapi/samples.ts'
import { success } from '../../api/schema.ts'

const EXAMPLE = [
  'event: changes',
  'id: 7f3c1c1e-7d3a-4a53-9a7e-2f4f6f0a8f11.42',
  `data: ${JSON.stringify({
    folders: [{ id: FILE.folderId, key: 'photos', files: [FILE.id], folders: [] }],
    gone: { files: [], folders: [] },
    below: [],
    areas: [],
  })}`,
  '',
].join('\n')

/** `GET /api/changes` */
export const watchChanges = documented('Instance', {
  id: 'watchChanges',
  summary: 'Watch changes as they happen',
  description:
    'Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), at most one a second. ' +
    'An event `changes` names what has changed, as far as the caller may read it:\n\n' +
    '- `folders`: folders of which the list has changed, each with its key and the ids of files and folders in it that were ' +
    'added or changed. `files` is null when they are too many: read the list.\n' +
    '- `gone`: ids of files and folders that left the tree. A file that was moved is in the list of its new folder.\n' +
    '- `below`: keys of folders below which anything may have changed; the empty key is the root.\n' +
    '- `areas`: `trash`, `settings`, `shares`, `users`, `webhooks`, and `account` for the caller’s own account. Those of ' +
    'settings need `settings:manage`; those of shares, users and webhooks a session with `users:manage`.\n\n' +
    'Without `Last-Event-ID` a stream begins with the changes of the last ten seconds, as far as they are known: a list may ' +
    'have been read just before. The first event is `ready`, or `reset` when changes after `Last-Event-ID` are not known any more: read everything again. ' +
    'The stream ends when the caller signs out or loses access, when it reads too slowly, and when the server stops. An ' +
    'account can have 20 streams at a time. A proxy must not buffer the response: nginx and others obey its ' +
    '`X-Accel-Buffering: no`.',
  parameters: [
    {
      name: 'Last-Event-ID',
      in: 'header',
      required: false,
      description: 'Id of the last event that the client has received.',
      schema: { type: 'string' },
      example: '7f3c1c1e-7d3a-4a53-9a7e-2f4f6f0a8f11.41',
    },
  ],
  responses: {
    200: {
      description: 'The stream, until either side ends it.',
      content: { 'text/event-stream': { schema: { type: 'string' }, example: EXAMPLE } },
    },
  },
  refusals: { 429: ['Too many requests'], 503: ['Too many clients wait for changes, try again later'] },
})

/** `GET /api/changes/files` */
export const readChangedFiles = documented('Instance', {
  id: 'readChangedFiles',
  summary: 'Read files by their ids',
  description: 'For the ids of an event. Ids without a file in the tree are left out.',
  returns: { description: 'The files, in no order.', examples: { one: success({ files: [FILE] }) } },
})
