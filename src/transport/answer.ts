import { type ClientSide, exchangeOf } from '../http/exchange.ts'
import type { Refusal } from '../platform/errors.ts'
import type { BadHead, RequestHead } from './head.ts'
import type { IncomingBody } from './incoming-body.ts'
import type { Output } from './output.ts'
import { bareRequest, toRequest } from './request.ts'
import { BrokenBody, sendResponse } from './send.ts'

/** Where answers come from. */
export interface AnswerOptions {
  fetch: (request: Request) => Promise<Response>
  /** The answer to a request that the transport itself refuses, or that failed with no refusal. */
  refuse: (request: Request, refusal: Refusal | undefined) => Response
  /** Told about failures that no answer tells of. */
  onError: (error: unknown) => void
  /** The date of an answer that goes out now. */
  date: () => string
}

/** Where an answer goes. */
export interface Answering {
  options: AnswerOptions
  client: ClientSide
  output: Output
  knowsChunks: boolean
  /** Whether the connection is closed behind the answer. */
  closes: () => boolean
  /** Closes the connection behind the answer. */
  finish: () => void
}

/**
 * Answers a request, and resolves when all of that was sent or the client has left.
 *
 * @throws when the answer broke off: the connection must be cut.
 */
export async function answer(
  head: RequestHead,
  answering: Answering & { body: IncomingBody | undefined },
): Promise<void> {
  const { fetch, refuse, onError } = answering.options
  const request = toRequest(head, answering)
  if (head.target === '*') return send(serverOptions(), request, answering)
  try {
    await send(await fetch(request), request, answering)
  } catch (error) {
    if (error instanceof BrokenBody) throw error
    onError(error)
    await send(refuse(request, undefined), request, answering)
  }
}

/** The answer to a question about the server as a whole (RFC 9110 §9.3.7). */
const serverOptions = () =>
  new Response(null, {
    status: 204,
    headers: { Allow: 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT', 'X-Content-Type-Options': 'nosniff' },
  })

/** Refuses a request for what its head says. */
export async function answerBadHead(
  { method, target, refusal }: BadHead,
  answering: Answering,
): Promise<void> {
  const request = bareRequest(method, target, answering.client)
  await send(answering.options.refuse(request, refusal), request, answering)
}

async function send(
  response: Response,
  request: Request,
  { options, output, knowsChunks, closes, finish }: Answering,
): Promise<void> {
  if (response.headers.get('connection') === 'close') {
    response.headers.delete('connection')
    finish()
  }
  const { onDelivered, isHead } = exchangeOf(request)
  try {
    const sending = { output, date: options.date(), knowsChunks, closes: closes(), isHead }
    const bytes = await sendResponse(response, sending)
    onDelivered?.(bytes)
  } catch (error) {
    onDelivered?.(error instanceof BrokenBody ? error.bytesSent : 0)
    throw error
  }
}
