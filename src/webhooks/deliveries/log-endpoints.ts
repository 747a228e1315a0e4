import type { Log } from '../../platform/log.ts';
import { openReminder } from '../../platform/reminder.ts';
import type { EndpointChange, TryTools } from './try-delivery.ts';

const ENDPOINT_NEWS: Readonly<Record<EndpointChange, string>> = {
  failing: 'a webhook endpoint fails',
  opened: 'a webhook endpoint fails too often: nothing is sent there for a while',
  stillAway: 'a webhook endpoint is still away',
  disabled:
    'a webhook endpoint is disabled: nothing is sent there until a test succeeds or it is registered anew',
  returned: 'a webhook endpoint is back',
};

const AWAY = ['failing', 'opened', 'stillAway'] as const;

/** One that is away is tried every minute; where a name server is, all of them are. */
const LINE_MILLISECONDS = 600_000;

/** Addresses are not logged: their paths and queries may hold secrets. */
export function logEndpoints(
  log: Pick<Log, 'info' | 'warn'>,
  now = () => performance.now(),
): TryTools['observeEndpoint'] {
  const remind = (change: EndpointChange, level: 'info' | 'warn') =>
    openReminder<object>(
      (reason, times, fields) => log[level]({ ...(fields ?? { reason }), times }, ENDPOINT_NEWS[change]),
      { pauseMilliseconds: LINE_MILLISECONDS, now },
    );
  const reminders = {
    failing: remind('failing', 'info'),
    opened: remind('opened', 'warn'),
    stillAway: remind('stillAway', 'info'),
    returned: remind('returned', 'info'),
  };
  return (change, { merchantId, endpoint }, detail) => {
    const fields = { merchantId, endpoint, ...detail };
    const reason = `${merchantId} ${endpoint}`;
    const ended = change === 'returned' ? AWAY : (['returned'] as const);
    for (const other of ended) reminders[other].drop(reason);
    if (change === 'disabled') log.warn(fields, ENDPOINT_NEWS.disabled);
    else reminders[change].report(reason, fields);
  };
}
