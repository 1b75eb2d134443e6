import { type ClientSide, exchangeOf } from '../http/exchange.ts'
import type { Refusal } from '../platform/errors.ts'
import type { BadHead, RequestHead } from './head.ts'
import type { IncomingBody } from './incoming-body.ts'
import type { Output } from './output.ts'
import { bareRequest, toRequest } from './request.ts'
import { BrokenBody, sendResponse } from './send.ts'

/** Services that responses need. */
export interface AnswerOptions {
  fetch: (request: Request) => Promise<Response>
  /**
   * Returns the response to a request that the transport refuses itself, or that failed without a refusal.
   */
  refuse: (request: Request, refusal: Refusal | undefined) => Response
  /** Called for failures that no response reports. */
  onError: (error: unknown) => void
  /** Returns the current HTTP-date. */
  date: () => string
}

/** Connection that a response is sent on. */
export interface Answering {
  options: AnswerOptions
  client: ClientSide
  output: Output
  knowsChunks: boolean
  /** Returns true when the connection closes after the response. */
  closes: () => boolean
  /** Closes the connection after the response. */
  finish: () => void
}

/**
 * Handles a request. Resolves when the whole response was sent or the client has disconnected.
 *
 * @throws when the response broke off: the connection must be cut.
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

/** Returns the response to `OPTIONS *` (RFC 9110 §9.3.7). */
const serverOptions = () =>
  new Response(null, {
    status: 204,
    headers: { Allow: 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT', 'X-Content-Type-Options': 'nosniff' },
  })

/** Refuses a request with a bad head. */
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
