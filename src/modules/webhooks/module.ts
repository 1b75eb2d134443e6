import type { Context } from '../../access/context.ts'
import { Dispatcher } from './dispatcher.ts'
import { webhookRoutes } from './routes.ts'
import { pruneDeliveries } from './service.ts'

/** Creates the module of webhooks, which sends events to other servers. */
export function createWebhooks(context: Context) {
  const dispatcher = new Dispatcher(context)
  return {
    routes: webhookRoutes(context, dispatcher),
    jobs: [
      {
        pattern: '* * * * * *',
        task: 'Sending webhooks',
        run: () => dispatcher.advance(),
        isEverywhere: true,
      },
      {
        pattern: '* * * * *',
        task: 'Removing old deliveries of webhooks',
        run: () => pruneDeliveries(context),
        atStart: true,
      },
    ],
    stop: () => dispatcher.stop(),
  }
}
